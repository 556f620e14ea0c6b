import { element } from '../docs/element.ts';
import { openSearch } from './search.ts';
import { changeTheme, themeOf } from './theme.ts';

/** `/help`: everything that a page does besides being read. Each page can be read without it. */
const one = (id: string): HTMLElement | null => document.getElementById(id);

function copyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>('main pre')) {
    const button = element('button', { type: 'button', class: 'copy' }, 'Copy');
    button.addEventListener('click', () => void copy(block.textContent, button));
    const frame = element('div', { class: 'code' });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

async function copy(text: string, button: HTMLElement): Promise<void> {
  // Without https a browser has no clipboard for pages.
  const isDone = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  button.textContent = isDone === true ? 'Copied' : 'Select and copy it';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2000);
}

/** On a phone, the list of all pages in place of the page. */
function pagesButton(): void {
  const button = one('menu');
  const show = (isOpen: boolean): void => {
    document.body.toggleAttribute('data-menu', isOpen);
    button?.setAttribute('aria-expanded', String(isOpen));
  };
  button?.addEventListener('click', () => show(!document.body.hasAttribute('data-menu')));
  addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !document.body.hasAttribute('data-menu')) return;
    show(false);
    button?.focus();
  });
}

function themeButton(): void {
  const button = one('theme');
  const show = (): void => {
    button?.setAttribute('data-theme', themeOf());
    button?.setAttribute('title', `Theme: ${themeOf() === 'system' ? 'as the system' : themeOf()}`);
  };
  button?.addEventListener('click', () => {
    changeTheme();
    show();
  });
  addEventListener('storage', show);
  show();
}

/** Marks where the reader is: the last heading above the middle of the window. */
function followOutline(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('#outline a')];
  if (links.length === 0) return;
  const headings = links.flatMap(({ hash }) => one(decodeURIComponent(hash.slice(1))) ?? []);
  const mark = (): void => {
    const passed = headings.filter((heading) => heading.getBoundingClientRect().top < innerHeight / 3);
    const at = Math.max(0, passed.length - 1);
    for (const [index, link] of links.entries())
      if (index === at) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
  };
  addEventListener('scroll', mark, { passive: true });
  mark();
}

function searchKeys(): void {
  for (const button of document.querySelectorAll('#find, main .find'))
    button.addEventListener('click', () => openSearch());
  addEventListener('keydown', (event) => {
    const isPalette = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
    const isTyped = event.target instanceof Element && event.target.closest('input') !== null;
    const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyped;
    if (!isPalette && !isSlash) return;
    event.preventDefault();
    openSearch();
  });
  const asked = new URLSearchParams(location.search).get('q');
  if (asked !== null) openSearch(asked);
}

copyButtons();
pagesButton();
themeButton();
followOutline();
searchKeys();
document.querySelector('#pages [aria-current]')?.scrollIntoView({ block: 'nearest' });
