import { element } from '../docs/element.ts';
import { type Result, searchIn, type SearchFile } from './search-rules.ts';

/** In characters, of an excerpt before and after the first word that was found. */
const BEFORE = 60;
const AFTER = 200;

type Ask = ReturnType<typeof searchIn>;

let asking: Promise<Ask> | undefined;

/** Loads the index once; after a failure again. */
function loadIndex(): Promise<Ask> {
  asking ??= fetch('/help/search.json')
    .then(async (answer) => {
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      return searchIn((await answer.json()) as SearchFile);
    })
    .catch((error: unknown) => {
      asking = undefined;
      throw error;
    });
  return asking;
}

const input = element('input', {
  // Not of the type `search`, in which the first Escape only empties it.
  role: 'searchbox',
  placeholder: 'Search the help',
  'aria-label': 'Search the help',
  autocomplete: 'off',
  spellcheck: 'false',
});
const list = element('ul', { 'aria-label': 'Results' });
const status = element('p', { role: 'status' });
const dialog = element(
  'dialog',
  { 'aria-label': 'Search' },
  element('form', { method: 'dialog' }, input, element('kbd', { 'aria-hidden': 'true' }, 'Esc')),
  list,
  status,
);

/** Opens the search with these words; without, with those of the last time. */
export function openSearch(words?: string): void {
  if (!dialog.isConnected) connect();
  if (!dialog.open) dialog.showModal();
  if (words !== undefined) input.value = words;
  input.select();
  void show();
}

function connect(): void {
  document.body.append(dialog);
  input.addEventListener('input', () => void show());
  dialog.addEventListener('keydown', onKey);
  dialog.addEventListener('click', ({ target }) => {
    // On the ground behind it, or on a result, which may be of this page.
    if (target === dialog || (target instanceof Element && target.closest('a'))) dialog.close();
  });
  dialog.querySelector('form')?.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
}

/** The arrows go from the field through the results and back. */
function onKey(event: KeyboardEvent): void {
  const links = [...list.querySelectorAll('a')];
  const at = links.findIndex((link) => link === document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined && links.length > 0) {
    event.preventDefault();
    const next = at + step;
    // The first one is chosen already while the field has the focus.
    const from = at === -1 && step === 1 ? Math.min(1, links.length - 1) : next;
    (links[from] ?? (next < 0 ? input : undefined))?.focus();
  } else if (at !== -1 && event.key.length === 1 && !event.ctrlKey && !event.metaKey) input.focus();
}

/** Whatever is typed while it loads counts. */
async function show(): Promise<void> {
  const text = input.value;
  if (text.trim() === '') {
    list.replaceChildren();
    status.textContent = 'Type a word, a code or a setting.';
    void loadIndex().catch(() => undefined);
    return;
  }
  try {
    const ask = await loadIndex();
    if (text !== input.value) return;
    const results = ask(text);
    list.replaceChildren(...results.map(resultLine));
    status.textContent = results.length === 0 ? `Nothing was found for “${text}”. Try other words.` : '';
  } catch (error) {
    status.textContent = `The search could not be loaded: ${(error as Error).message}. Type again to try once more.`;
  }
}

function resultLine({ place, terms }: Result): HTMLElement {
  const { address, section, page, heading, text } = place;
  const title = heading === '' ? page : `${page} › ${heading}`;
  const words = wordsIn(terms);
  return element(
    'li',
    {},
    element(
      'a',
      { href: address },
      element('span', {}, element('b', {}, ...marked(title, words)), element('small', {}, section)),
      element('p', {}, ...marked(excerpt(text, words), words)),
    ),
  );
}

/** Where one of the words begins, whatever follows. */
function wordsIn(terms: readonly string[]): RegExp {
  const escaped = terms.map((term) =>
    term.replaceAll(/[^\p{L}\p{N}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`),
  );
  return new RegExp(`(?<![\\p{L}\\p{N}])((?:${escaped.join('|')})[\\p{L}\\p{N}]*)`, 'giu');
}

function excerpt(text: string, words: RegExp): string {
  const at = Math.max(0, text.search(words));
  const start = at <= BEFORE ? 0 : text.indexOf(' ', at - BEFORE) + 1;
  const part = text.slice(start, at + AFTER);
  return `${start > 0 ? '… ' : ''}${part}${at + AFTER < text.length ? ' …' : ''}`;
}

function marked(text: string, words: RegExp): (string | HTMLElement)[] {
  return text.split(words).map((part, at) => (at % 2 === 1 ? element('mark', {}, part) : part));
}
