// JupyterLab's notebook as a page of its own, with the widget manager of ipywidgets:
// ?path=NOTEBOOK&theme=dark&widgets=0. The tests reach it as window.lab; every function there
// is what a key or a menu entry of JupyterLab calls.
import { ServiceManager, ServerConnection } from '@jupyterlab/services';
import { NotebookPanel, NotebookWidgetFactory, NotebookModelFactory, NotebookActions, StaticNotebook } from '@jupyterlab/notebook';
import { RenderMimeRegistry, standardRendererFactories } from '@jupyterlab/rendermime';
import { CodeMirrorEditorFactory, CodeMirrorMimeTypeService, EditorExtensionRegistry, EditorLanguageRegistry, EditorThemeRegistry, ybinding } from '@jupyterlab/codemirror';
import { DocumentRegistry } from '@jupyterlab/docregistry';
import { DocumentManager } from '@jupyterlab/docmanager';
import { Completer, CompleterModel, CompletionHandler, KernelCompleterProvider, ProviderReconciliator } from '@jupyterlab/completer';
import { Tooltip } from '@jupyterlab/tooltip';
import { BoxPanel, Widget } from '@lumino/widgets';
import { WidgetManager, WidgetRenderer } from '@jupyter-widgets/jupyterlab-manager';
import * as base from '@jupyter-widgets/base';
import * as controls from '@jupyter-widgets/controls';
import * as output from '@jupyter-widgets/output';

const query = new URLSearchParams(location.search);
const theme = query.get('theme') === 'dark' ? 'dark' : 'light';
document.body.dataset.jpThemeLight = String(theme === 'light');
document.getElementById('theme').href = `${theme}.css`;

const serverSettings = ServerConnection.makeSettings({ baseUrl: location.origin + '/', wsUrl: location.origin.replace('http', 'ws') + '/' });
const manager = new ServiceManager({ serverSettings });
await manager.ready;

const languages = new EditorLanguageRegistry();
EditorLanguageRegistry.getDefaultLanguages().forEach(l => languages.addLanguage(l));
const themes = new EditorThemeRegistry();
EditorThemeRegistry.getDefaultThemes().forEach(t => themes.addTheme(t));
const extensions = new EditorExtensionRegistry();
EditorExtensionRegistry.getDefaultExtensions({ themes }).forEach(e => extensions.addExtension(e));
extensions.addExtension({
	name: 'shared-model-binding',
	factory: ({ model }) => ({ instance: () => ybinding({ ytext: model.sharedModel.ysource, undoManager: model.sharedModel.undoManager }), reconfigure: () => null })
});
const editors = new CodeMirrorEditorFactory({ extensions, languages });
const rendermime = new RenderMimeRegistry({ initialFactories: standardRendererFactories });
const registry = new DocumentRegistry();
registry.addModelFactory(new NotebookModelFactory({}));
registry.addWidgetFactory(new NotebookWidgetFactory({
	name: 'Notebook', modelName: 'notebook', fileTypes: ['notebook'], defaultFor: ['notebook'],
	preferKernel: true, canStartKernel: true, rendermime,
	notebookConfig: { ...StaticNotebook.defaultNotebookConfig, windowingMode: 'none' }, // all cells are in the page
	contentFactory: new NotebookPanel.ContentFactory({ editorFactory: editors.newInlineEditor }),
	mimeTypeService: new CodeMirrorMimeTypeService(languages)
}));
const opener = { open() {}, get opened() { return { connect() {}, disconnect() {} }; } };
const documents = new DocumentManager({ registry, manager, opener });
const panel = documents.open(query.get('path'), 'default', { name: 'trivium' });
if (query.get('widgets') !== '0') {
	const widgets = new WidgetManager(panel.context, panel.content.rendermime, { saveState: false });
	widgets.register({ name: '@jupyter-widgets/base', version: base.JUPYTER_WIDGETS_VERSION, exports: base });
	widgets.register({ name: '@jupyter-widgets/controls', version: controls.JUPYTER_CONTROLS_VERSION, exports: controls });
	widgets.register({ name: '@jupyter-widgets/output', version: output.OUTPUT_WIDGET_VERSION, exports: output });
	panel.content.rendermime.addFactory({
		safe: false, mimeTypes: ['application/vnd.jupyter.widget-view+json'], createRenderer: o => new WidgetRenderer(o, widgets)
	}, -10);
}
const box = new BoxPanel();
box.id = 'main';
box.addWidget(panel);
Widget.attach(box, document.body);
window.onresize = () => box.update();
await panel.context.ready;
await panel.sessionContext.ready;

const session = panel.sessionContext;
const completer = new Completer({ editor: null, model: new CompleterModel() });
completer.hide();
Widget.attach(completer, document.body);
const handler = new CompletionHandler({
	completer,
	reconciliator: new ProviderReconciliator({ context: { widget: panel, editor: null, session: session.session }, providers: [new KernelCompleterProvider()], timeout: 10000 })
});

// append makes a cell at the end the active one, with its cursor at the end.
function append(code) {
	panel.content.activeCellIndex = panel.content.widgets.length - 1;
	NotebookActions.insertBelow(panel.content);
	const cell = panel.content.activeCell;
	cell.model.sharedModel.setSource(code);
	panel.content.mode = 'edit';
	cell.editor.setCursorPosition(cell.editor.getPositionAt(code.length));
	return cell;
}

window.lab = {
	panel, session,
	runAll: () => NotebookActions.runAll(panel.content, session), // a promise of whether all went well
	run(code) {
		append(code);
		return NotebookActions.run(panel.content, session);
	},
	interrupt: () => session.session.kernel.interrupt(),
	restart: () => session.session.kernel.restart(),
	save: () => panel.context.save(),
	complete(code) { // shows the list of completions; those are then in the page
		const cell = append(code);
		handler.editor = cell.editor;
		completer.editor = cell.editor;
		handler.invoke();
	},
	async inspect(code) { // as Shift-Tab
		const cell = append(code);
		const reply = await session.session.kernel.requestInspect({ code, cursor_pos: code.length, detail_level: 0 });
		if (reply.content.found) {
			Widget.attach(new Tooltip({ anchor: panel.content, bundle: reply.content.data, editor: cell.editor, rendermime }), document.body);
		}
	},
	status: () => session.session.kernel.status
};
