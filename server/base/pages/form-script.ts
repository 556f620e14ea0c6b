import { createHash } from 'node:crypto';
import { FILL } from './script-texts.ts';

/** What it says; `{name}` stands for a value. */
const SAID = {
  oneFile: 'At most 1 file is accepted.',
  tooMany: 'At most {most} files are accepted.',
  tooLarge: 'The file {file} has {size}; at most {limit} are accepted.',
  otherType: 'The file {file} is of the type {type}, which does not fit here.',
  stop: 'Stop',
  sending: 'Sending…',
  notSent: 'The form could not be sent.',
  notSentNow: 'The form could not be sent. Try again.',
  progress: 'Sent {sent} of {total}',
  sent: 'Sent; waiting for the answer.',
  lost: 'The connection was lost, and nothing was sent. Try again.',
};

/**
 * The script of a page with fields for files: files can be dropped, files that are too large, too many or of another type are
 * refused before they are sent, and a form with `data-progress` shows its progress. Without it the page works by its form.
 */
export const FORM_SCRIPT = `
(() => {
  const said = ${JSON.stringify(SAID)};
  const fill = ${FILL};
  const form = document.querySelector('form');
  const size = (bytes) => {
    const at = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 3);
    return (Math.round((bytes / 1000 ** at) * 10) / 10).toLocaleString('en-US') + ' ' + ['bytes', 'kB', 'MB', 'GB'][at];
  };
  const endings = { 'text/csv': ['.csv'], 'application/pdf': ['.pdf'], 'text/plain': ['.txt'] };
  const fits = (file, accept) =>
    accept === '' ||
    file.type === '' ||
    accept.split(',').some((one) => one === file.type || (one.endsWith('/*') && file.type.startsWith(one.slice(0, -1))) ||
      (endings[one] || []).some((end) => file.name.toLowerCase().endsWith(end)));
  const faultOf = (input) => {
    const files = [...input.files];
    const most = Number(input.dataset.most || 1);
    if (files.length > most) return ['too_many_values', fill(most === 1 ? said.oneFile : said.tooMany, { most })];
    const large = files.find((file) => file.size > Number(input.dataset.maxBytes));
    if (large) return ['file_too_large', fill(said.tooLarge, { file: large.name, size: size(large.size), limit: size(Number(input.dataset.maxBytes)) })];
    const wrong = files.find((file) => !fits(file, input.accept));
    if (wrong) return ['file_type_refused', fill(said.otherType, { file: wrong.name, type: wrong.type })];
  };
  const say = (input, fault) => {
    const field = input.closest('.field');
    field.querySelector('.fault')?.remove();
    input.removeAttribute('aria-invalid');
    const described = (input.getAttribute('aria-describedby') || '').split(' ').filter((id) => id !== '' && !id.endsWith('-fault'));
    if (fault) {
      const note = document.createElement('p');
      note.className = 'fault';
      note.id = input.id + '-fault';
      note.dataset.code = fault[0];
      note.textContent = fault[1];
      field.append(note);
      described.push(note.id);
      input.setAttribute('aria-invalid', 'true');
    }
    if (described.length > 0) input.setAttribute('aria-describedby', described.join(' '));
    else input.removeAttribute('aria-describedby');
  };
  const inputs = [...form.querySelectorAll('input[type=file]')];
  for (const input of inputs) {
    const field = input.closest('.field');
    field.classList.add('drop');
    input.addEventListener('change', () => say(input, faultOf(input)));
    field.addEventListener('dragover', (event) => {
      event.preventDefault();
      field.classList.add('over');
    });
    field.addEventListener('dragleave', () => field.classList.remove('over'));
    field.addEventListener('drop', (event) => {
      event.preventDefault();
      field.classList.remove('over');
      if (event.dataTransfer.files.length === 0) return;
      input.files = event.dataTransfer.files;
      say(input, faultOf(input));
    });
  }
  const button = form.querySelector('button.main');
  const label = button.textContent;
  const bar = document.createElement('progress');
  const state = document.createElement('p');
  const stop = document.createElement('button');
  state.className = 'help';
  state.setAttribute('role', 'status');
  stop.type = 'button';
  stop.textContent = said.stop;
  const busy = (on) => {
    button.disabled = on;
    button.textContent = on ? said.sending : label;
    if (on) form.append(bar, state), button.after(stop);
    else bar.remove(), state.remove(), stop.remove();
  };
  const alarm = (text) => {
    let note = document.querySelector('main > .state[role=alert]');
    if (!note) {
      note = document.createElement('p');
      note.className = 'state bad';
      note.setAttribute('role', 'alert');
      form.before(note);
    }
    note.textContent = text;
    note.scrollIntoView({ block: 'nearest' });
  };
  const back = (html) => {
    const page = new DOMParser().parseFromString(html, 'text/html');
    const problem = page.querySelector('.state[role=alert]');
    if (!page.querySelector('form') && !problem) return false;
    alarm(problem ? problem.textContent : said.notSent);
    for (const now of page.querySelectorAll('form .field [name]')) {
      const input = form.querySelector('[name="' + CSS.escape(now.name) + '"]');
      const fault = now.closest('.field').querySelector('.fault');
      if (input) say(input, fault ? [fault.dataset.code || '', fault.textContent] : undefined);
    }
    form.querySelector('[aria-invalid=true]')?.focus();
    return true;
  };
  form.addEventListener('submit', (event) => {
    const wrong = inputs.find((input) => {
      const fault = faultOf(input);
      say(input, fault);
      return fault;
    });
    if (wrong) {
      event.preventDefault();
      wrong.focus();
      return;
    }
    if (!('progress' in form.dataset) || !inputs.some((input) => input.files.length > 0)) return;
    event.preventDefault();
    const body = new FormData(form, event.submitter);
    const request = new XMLHttpRequest();
    request.open('POST', form.action);
    request.setRequestHeader('accept', 'application/json');
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      bar.max = total;
      bar.value = loaded;
      state.textContent = loaded < total ? fill(said.progress, { sent: size(loaded), total: size(total) }) : said.sent;
    });
    request.addEventListener('loadend', () => {
      busy(false);
      if (request.status === 0) return;
      if ((request.getResponseHeader('content-type') || '').startsWith('application/json')) {
        const reply = JSON.parse(request.responseText);
        if (reply.location) location.assign(reply.location);
        else alarm(reply.err_msg || said.notSentNow);
      } else if (!back(request.responseText)) alarm(said.notSentNow);
    });
    request.addEventListener('error', () => alarm(said.lost));
    stop.onclick = () => request.abort();
    busy(true);
    request.send(body);
  });
})();
`;

/** In the form of a content security policy. */
export const FORM_SCRIPT_HASH: string = createHash('sha256').update(FORM_SCRIPT).digest('base64');
