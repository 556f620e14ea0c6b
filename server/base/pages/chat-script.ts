import { createHash } from 'node:crypto';
import { FILL } from './script-texts.ts';

/** What it says; `{name}` stands for a value. */
const SAID = {
  you: 'You',
  remove: 'Remove {file}',
  tooMany: 'At most {most} files are accepted.',
  tooLarge: 'The file {file} has {size}; at most {limit} are accepted.',
  notUploaded: 'The files could not be sent. Try again.',
  lostUpload: 'The connection was lost, and the files were not sent. Try again.',
  notSent: 'The message could not be sent. Try again.',
  lost: 'The connection was lost. Try again.',
  stopped: 'Stopped.',
};

/**
 * The script of the public chat page: sends without reloading the page, shows the answer as it arrives, and stops it.
 * Without it the page works by its form.
 */
export const CHAT_SCRIPT = `
(() => {
  const said = ${JSON.stringify(SAID)};
  const fill = ${FILL};
  const form = document.querySelector('form');
  const log = document.querySelector('#log');
  const box = form.elements.text;
  const send = document.querySelector('#send');
  const stop = document.querySelector('#stop');
  const state = document.querySelector('#state');
  const conversation = form.elements.conversation.value;
  const address = form.dataset.address;
  const choose = document.querySelector('#choose');
  let running;
  let busyFiles = 0;
  let attached = [];
  const size = (bytes) => {
    const at = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 3);
    return (Math.round((bytes / 1000 ** at) * 10) / 10).toLocaleString('en-US') + ' ' + ['bytes', 'kB', 'MB', 'GB'][at];
  };
  const itemOf = (file, isSent) => {
    const item = document.createElement('li');
    const link = document.createElement(isSent ? 'a' : 'span');
    if (isSent) {
      link.className = 'file';
      link.href = address + '/files/' + conversation + '/' + file.$file;
      link.download = file.name;
    }
    const isPicture = /^image\\/(png|jpeg|gif|webp)$/.test(file.type);
    if (isPicture) {
      const picture = document.createElement('img');
      picture.src = address + '/files/' + conversation + '/' + file.$file;
      picture.alt = isSent ? file.name : '';
      link.append(picture);
    }
    if (!isSent || !isPicture) link.append(file.name + (isSent ? '' : ' (' + size(file.bytes) + ')'));
    item.append(link);
    return item;
  };
  const showFiles = () => {
    const list = document.querySelector('#files');
    list.replaceChildren(...attached.map((file) => {
      const item = itemOf(file, false);
      const remove = document.createElement('button');
      remove.type = 'button';
      remove.textContent = '×';
      remove.setAttribute('aria-label', fill(said.remove, { file: file.name }));
      remove.addEventListener('click', () => {
        attached = attached.filter((one) => one !== file);
        showFiles();
        box.focus();
      });
      item.append(remove);
      return item;
    }));
  };
  const attach = async (files) => {
    if (files.length === 0) return;
    const most = Number(choose.dataset.most);
    const limit = Number(choose.dataset.maxBytes);
    const large = files.find((file) => file.size > limit);
    if (attached.length + files.length > most) return fail(fill(said.tooMany, { most }));
    if (large) return fail(fill(said.tooLarge, { file: large.name, size: size(large.size), limit: size(limit) }));
    fail('');
    const body = new FormData();
    body.append('conversation', conversation);
    for (const file of files) body.append('files', file, file.name);
    busyFiles++;
    send.disabled = true;
    try {
      const answer = await fetch(address + '/files', { method: 'POST', credentials: 'omit', body });
      const reply = await answer.json().catch(() => ({}));
      if (answer.ok) attached = [...attached, ...reply.data.files];
      else fail(reply.err_msg || said.notUploaded);
    } catch {
      fail(said.lostUpload);
    }
    busyFiles--;
    send.disabled = busyFiles > 0;
    showFiles();
  };
  if (choose) {
    const button = document.querySelector('#attach');
    document.querySelector('#pick').hidden = true;
    button.hidden = false;
    button.addEventListener('click', () => choose.click());
    choose.addEventListener('change', () => {
      const files = [...choose.files];
      choose.value = '';
      void attach(files);
    });
    const page = document.querySelector('.chat');
    page.addEventListener('dragover', (event) => {
      if (![...event.dataTransfer.types].includes('Files')) return;
      event.preventDefault();
      form.classList.add('over');
    });
    page.addEventListener('dragleave', () => form.classList.remove('over'));
    page.addEventListener('drop', (event) => {
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      form.classList.remove('over');
      void attach([...event.dataTransfer.files]);
    });
    box.addEventListener('paste', (event) => {
      const files = [...event.clipboardData.files];
      if (files.length === 0) return;
      event.preventDefault();
      void attach(files);
    });
  }
  const bubble = (who, text, files = []) => {
    const one = document.createElement('div');
    one.className = 'said ' + who;
    const label = document.createElement('span');
    label.className = 'who';
    label.textContent = who === 'you' ? said.you : form.dataset.name;
    const words = document.createElement('div');
    words.className = 'words';
    words.textContent = text;
    words.hidden = text === '' && who === 'you';
    one.append(label, words);
    if (files.length > 0) {
      const list = document.createElement('ul');
      list.className = 'files';
      list.append(...files.map((file) => itemOf(file, true)));
      one.append(list);
    }
    log.append(one);
    one.scrollIntoView({ block: 'nearest' });
    return words;
  };
  const busy = (on) => {
    send.hidden = on;
    stop.hidden = !on;
    log.setAttribute('aria-busy', String(on));
  };
  const fail = (text) => {
    state.textContent = text;
    state.hidden = text === '';
  };
  const take = (words, event) => {
    if (event.text !== undefined) words.textContent += event.text;
    if (event.html !== undefined) words.innerHTML = event.html;
    if (event.error !== undefined) fail(event.error);
    words.parentElement.scrollIntoView({ block: 'end' });
  };
  const read = async (body, words) => {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split('\\n');
      rest = lines.pop();
      for (const line of lines) if (line.startsWith('data: ')) take(words, JSON.parse(line.slice(6)));
    }
  };
  const ask = async (text, files) => {
    running = new AbortController();
    fail('');
    const own = bubble('you', text, files);
    const words = bubble('app', '');
    busy(true);
    let isTaken = false;
    const putBack = (why) => {
      words.parentElement.remove();
      own.parentElement.remove();
      // Before what has been written and attached since.
      box.value = [text, box.value].filter(Boolean).join('\\n');
      attached = [...files, ...attached];
      if (choose) showFiles();
      fail(why);
    };
    try {
      const answer = await fetch(address + '/messages', {
        method: 'POST',
        credentials: 'omit',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text, conversation, files: files.map((file) => file.$file) }),
        signal: running.signal,
      });
      if (!answer.ok) {
        const reply = await answer.json().catch(() => ({}));
        putBack(reply.err_msg || said.notSent);
      } else {
        isTaken = true;
        history.replaceState(null, '', '?c=' + conversation);
        await read(answer.body, words);
      }
    } catch (error) {
      if (running.signal.aborted) words.parentElement.classList.add('stopped');
      else if (!isTaken) return putBack(said.lost);
      else fail(said.lost);
      if (words.textContent === '') words.textContent = running.signal.aborted ? said.stopped : '…';
    } finally {
      busy(false);
      box.focus();
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = box.value.trim();
    if ((text === '' && attached.length === 0) || !stop.hidden || busyFiles > 0) return;
    const files = attached;
    attached = [];
    if (choose) showFiles();
    box.value = '';
    void ask(text, files);
  });
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  stop.addEventListener('click', () => running?.abort());
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !stop.hidden) running?.abort();
  });
  // Pictures have no height until they are loaded.
  log.addEventListener('load', () => log.lastElementChild?.scrollIntoView({ block: 'end' }), true);
  log.lastElementChild?.scrollIntoView({ block: 'end' });
})();
`;

/** In the form of a content security policy. */
export const CHAT_SCRIPT_HASH = createHash('sha256').update(CHAT_SCRIPT).digest('base64');
