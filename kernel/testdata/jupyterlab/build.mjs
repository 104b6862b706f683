// Bundles the page: node build.mjs FOLDER. Style sheets of JupyterLab name packages by ~.
import * as esbuild from 'esbuild';
import { copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const out = process.argv[2];
const tilde = {
	name: 'tilde',
	setup(build) {
		build.onResolve({ filter: /^~/ }, a => build.resolve(a.path.slice(1), { kind: a.kind, resolveDir: a.resolveDir }));
	}
};
const none = { '.woff': 'empty', '.woff2': 'empty', '.ttf': 'empty', '.eot': 'empty', '.png': 'dataurl', '.gif': 'dataurl' };
const common = { bundle: true, plugins: [tilde], logLevel: 'error' };
await esbuild.build({
	...common, entryPoints: ['notebook.mjs'], format: 'esm', target: 'esnext', outfile: `${out}/notebook.js`,
	loader: { ...none, '.svg': 'text' }, external: ['mermaid', '@mermaid-js/*'],
	define: { 'process.env.NODE_ENV': '"production"', global: 'window' }
});
await esbuild.build({ ...common, entryPoints: ['notebook.css'], loader: { ...none, '.svg': 'dataurl' }, outfile: `${out}/notebook.css` });
const require = createRequire(import.meta.url);
for (const theme of ['light', 'dark']) {
	copyFileSync(require.resolve(`@jupyterlab/theme-${theme}-extension/style/variables.css`), `${out}/${theme}.css`);
}
copyFileSync('notebook.html', `${out}/notebook.html`);
