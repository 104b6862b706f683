(function (spec) {
  // One channel to each kernel, shared by all outputs of the page; it is opened when it is first used.
  var root = document.getElementById('trivium-' + spec.panel);
  var config = document.getElementById('jupyter-config-data');
  try { config = config ? JSON.parse(config.textContent) : null; } catch (e) { config = null; }
  var data = document.body.dataset || {};
  var base = config ? config.baseUrl : data.baseUrl;
  if (!root || !base) return;
  var token = (config && config.token) || data.jupyterApiToken || '';
  var random = function () { return Math.random().toString(16).slice(2) + Date.now().toString(16); };
  var at = base.replace(/\/?$/, '/') + 'api/kernels/' + spec.kernel;
  var all = window.triviumChannels = window.triviumChannels || {};
  var channel = all[spec.kernel] = all[spec.kernel] || { session: random(), comm: random(), waiting: {}, busy: '', roots: {} };
  channel.roots[spec.panel] = root;

  function gone(panel, why) {
    var r = channel.roots[panel];
    if (r) r.textContent = why;
  }
  // A picture replaces the one that stands below the controls. That of a figure, which has its
  // own output, is put there only where this page no longer gets what outputs show: it was
  // loaded anew, and so the controls were not replaced.
  function changed(d) {
    var r = channel.roots[d.panel], p = document.getElementById('trivium-' + d.panel + '-picture');
    if (!r) return;
    if (!d.controls) { if (p) p.innerHTML = d.picture; return; }
    setTimeout(function () {
      if (!r.isConnected || channel.roots[d.panel] !== r) return;
      r.textContent = '';
      d.controls.forEach(control(r, d.panel));
      element(r, 'div', {}).innerHTML = d.picture;
    }, 700);
  }
  function post(type, content) {
    channel.busy = random();
    channel.socket.send(JSON.stringify({
      header: { msg_id: channel.busy, username: '', session: channel.session, msg_type: type, version: '5.3', date: new Date().toISOString() },
      parent_header: {}, metadata: {}, content: content, channel: 'shell', buffers: []
    }));
  }
  // The newest value of each control goes out when the one before was dealt with.
  function flush() {
    if (channel.busy || !channel.socket || channel.socket.readyState !== 1) return;
    for (var key in channel.waiting) {
      var d = channel.waiting[key];
      delete channel.waiting[key];
      if (channel.opened) post('comm_msg', { comm_id: channel.comm, data: d });
      else post('comm_open', { comm_id: channel.comm, target_name: 'trivium.page', data: d });
      channel.opened = true;
      return;
    }
  }
  function connect() {
    if (channel.socket && channel.socket.readyState < 2) return;
    var url = new URL(at + '/channels?session_id=' + channel.session + (token ? '&token=' + encodeURIComponent(token) : ''), location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    var s = channel.socket = new WebSocket(url);
    channel.opened = false; channel.busy = ''; channel.comm = random();
    s.onopen = flush;
    s.onmessage = function (e) {
      // Most messages are others': those are not parsed. A picture may come before the end of what asked
      // for it, and belongs to the cell that made the controls: its parent is not our message.
      if (typeof e.data !== 'string' || (e.data.indexOf(channel.comm) < 0 && (!channel.busy || e.data.indexOf(channel.busy) < 0))) return;
      var m = JSON.parse(e.data), c = m.content || {};
      if (m.parent_header && m.parent_header.msg_id === channel.busy && m.msg_type === 'status' && c.execution_state === 'idle') { channel.busy = ''; flush(); }
      if (c.comm_id !== channel.comm) return;
      if (m.msg_type === 'comm_msg' && c.data.panel) changed(c.data);
      if (m.msg_type === 'comm_msg' && c.data.gone) gone(c.data.gone, 'What these controls belong to has ended; run the cell again.');
      if (m.msg_type === 'comm_close') { channel.opened = false; channel.comm = random(); }
    };
    s.onclose = function () { channel.busy = ''; if (channel.socket === s) channel.socket = null; };
  }
  function send(panel, control, value) {
    channel.waiting[panel + ' ' + control] = { panel: panel, control: control, value: value };
    connect();
    flush();
    clearTimeout(channel.rest); // a channel that is not used is not kept
    channel.rest = setTimeout(function () { if (channel.socket) channel.socket.close(); }, 60000);
  }

  function element(parent, tag, set) {
    var e = document.createElement(tag);
    for (var k in set) if (k === 'style') e.style.cssText = set[k]; else if (k === 'text') e.textContent = set[k]; else e.setAttribute(k, set[k]);
    parent.appendChild(e);
    return e;
  }
  function control(root, panel) { return function (c, i) {
    var row, e, out;
    if (c.kind === 'switch') {
      row = element(root, 'span', { style: 'margin-right:1em;white-space:nowrap', role: 'group', 'aria-label': c.name });
      element(row, 'span', { text: c.name + ' ', style: 'opacity:.7' });
      c.choices.forEach(function (choice) {
        var on = choice === c.value;
        e = element(row, 'button', { type: 'button', text: choice, 'aria-pressed': on, 'data-name': c.name, 'data-choice': choice, style:
          'font:inherit;color:inherit;background:' + (on ? 'rgba(128,128,128,.35)' : 'transparent') + ';border:1px solid rgba(128,128,128,.6);border-radius:3px;padding:0 .5em;margin:0 1px;cursor:pointer' });
        e.onclick = function () { send(panel, c.name, choice); };
      });
      return;
    }
    row = element(root, 'label', { style: 'display:flex;align-items:center;gap:.6em;margin:2px 0' });
    if (c.kind !== 'button') element(row, 'span', { text: c.name, style: 'width:9em;text-align:right;overflow:hidden;text-overflow:ellipsis' });
    if (c.kind === 'slider') {
      e = element(row, 'input', { type: 'range', min: c.min, max: c.max, step: c.step, style: 'width:16em' });
      e.value = c.value;
      out = element(row, 'output', { text: Number(c.value).toFixed(c.digits) });
      e.oninput = function () { out.textContent = Number(e.value).toFixed(c.digits); send(panel, i, Number(e.value)); };
    } else if (c.kind === 'choice') {
      e = element(row, 'select', { style: 'font:inherit' });
      c.choices.forEach(function (choice) { element(e, 'option', { text: choice, value: choice }); });
      e.value = c.value;
      e.onchange = function () { send(panel, i, e.value); };
    } else if (c.kind === 'check') {
      e = element(row, 'input', { type: 'checkbox' });
      e.checked = c.value;
      e.onchange = function () { send(panel, i, e.checked); };
    } else {
      e = element(row, 'button', { type: 'button', text: c.name, style: 'font:inherit;margin-left:9.6em' });
      e.onclick = function () { send(panel, i, true); };
    }
  }; }
  fetch(at, { credentials: 'same-origin', headers: token ? { Authorization: 'token ' + token } : {} }).then(function (r) {
    if (!r.ok) return; // the kernel has ended: what is saved is a picture
    root.textContent = '';
    spec.controls.forEach(control(root, spec.panel));
  }, function () {});
})
