// Does what JupyterLab does with a kernel, with JupyterLab's own library, and prints what came
// of each step as JSON on its last line; the library writes lines of its own.
// jupyterlab_test.go starts it: node client.mjs BASE_URL CELLS_AS_JSON
import services from '@jupyterlab/services';
import WebSocket from 'ws';

const [base, cells] = [process.argv[2], JSON.parse(process.argv[3])];
const serverSettings = services.ServerConnection.makeSettings({
  baseUrl: base + '/', wsUrl: base.replace('http', 'ws') + '/', WebSocket, fetch, Request, Headers,
});
const manager = new services.KernelManager({ serverSettings });
const kernel = await manager.startNew({ name: 'trivium' });
const results = {};

const within = (what, promise) => Promise.race([promise, new Promise((_, no) =>
  setTimeout(() => no(new Error(what + ': no answer within 20 s')), 20000).unref())]);

// run runs a cell and keeps all its messages, also those that come after its end.
function run(code, { during, answer, keep = false } = {}) {
  const messages = [];
  const future = kernel.requestExecute({ code, allow_stdin: !!answer, stop_on_error: true }, !keep);
  future.onIOPub = m => {
    messages.push({ type: m.header.msg_type, content: m.content });
    if (m.header.msg_type === 'execute_input') during?.();
  };
  future.onStdin = m => future.sendInputReply({ status: 'ok', value: answer(m.content.prompt, m.content.password) }, m.header);
  return within(code, future.done).then(reply => ({ reply: reply.content, messages }));
}
const text = r => r.messages.map(m => m.content.text ?? m.content.data?.['text/plain'] ?? '').join('');

const info = await within('kernel_info', kernel.info);
results.info = { status: info.status, implementation: info.implementation, language: info.language_info.name, extension: info.language_info.file_extension };

const first = await run('fmt.Println("hello")\n6 * 7');
results.execute = { status: first.reply.status, text: text(first), types: first.messages.map(m => m.type) };

const complete = await within('complete', kernel.requestComplete({ code: 'é := 1; strings.ToUp', cursor_pos: 20 }));
results.complete = complete.content;
const inspect = await within('inspect', kernel.requestInspect({ code: 'fmt.Println', cursor_pos: 11, detail_level: 0 }));
results.inspect = inspect.content;
results.isComplete = (await within('is_complete', kernel.requestIsComplete({ code: 'func f() {' }))).content;
results.history = (await within('history', kernel.requestHistory({ output: false, raw: true, hist_access_type: 'tail', n: 1 }))).content.history;
results.comms = (await within('comm_info', kernel.requestCommInfo({}))).content;

const prompts = [];
const typed = await run('name, err := nb.Input("your name: ")\nfmt.Println("hello", name)', {
  answer: (prompt, password) => { prompts.push([prompt, password]); return 'Ada'; },
});
results.stdin = { prompts, text: text(typed), status: typed.reply.status };

let asked;
const endless = await run('keep := 41\nfor {}', { during: () => setTimeout(() => { asked = Date.now(); kernel.interrupt(); }, 300) });
results.interrupt = { ename: endless.reply.ename, ms: Date.now() - asked, kept: text(await run('keep + 1')) };

await run(cells.start);
const plot = await run(cells.plot, { keep: true });
const before = plot.messages.length;
await run(cells.wait);
await new Promise(r => setTimeout(r, 700)); // the last frame comes at most 250 ms after the run
const frames = plot.messages.filter(m => m.type.endsWith('display_data'));
const picture = m => m.content.data['image/svg+xml'] ?? decodeURIComponent(/data:image\/svg\+xml,([^"]*)"/.exec(m.content.data['text/html'])?.[1] ?? ''); // in HTML, as nobody attends
results.figure = {
  types: frames.map(m => m.type), ids: [...new Set(frames.map(m => m.content.transient.display_id))].length,
  svg: frames.every(m => picture(m).includes('</svg>')),
  changed: picture(frames[0]) !== picture(frames.at(-1)),
  late: plot.messages.length - before,
};

await within('restart', kernel.restart());
await within('kernel_info after restart', kernel.info);
const lost = await run('keep');
results.restart = { status: lost.reply.status, evalue: lost.reply.evalue, text: text(await run('1 + 1')) };

await within('shutdown', kernel.shutdown());
results.shutdown = { disposed: kernel.isDisposed, status: kernel.status };
console.log(JSON.stringify(results));
process.exit(0);
