import { type Access, loadDocument, sessionToken } from './access.ts';
import { callView } from './call-view.ts';
import { type ApiDocument, callsByTag } from './document.ts';
import { byId, element, withCode } from './element.ts';

/**
 * `/docs`: shows `/openapi.json`, with a form to try each call. Everything comes from this server, and texts of flows are
 * only inserted as text.
 */
const access: Access = { key: '', csrf: undefined };
const calls = byId('calls');
const state = byId('state');
const filter = byId<HTMLInputElement>('filter');

function show(api: ApiDocument): void {
  const groups = [...callsByTag(api)].map(([tag, own]) => {
    const about = api.tags.find(({ name }) => name === tag)?.description;
    const title = element(
      'h2',
      {},
      tag,
      about === undefined ? undefined : element('small', {}, ...withCode(about)),
    );
    return element('section', {}, title, ...own.map((call) => callView(call, api, access)));
  });
  calls.replaceChildren(...groups);
  applyFilter();
}

function applyFilter(): void {
  const words = filter.value.toLowerCase().split(/\s+/);
  for (const section of calls.children) {
    const views = [...section.querySelectorAll<HTMLElement>('[data-words]')];
    for (const view of views)
      view.hidden = !words.every((word) => view.dataset['words']?.includes(word) === true);
    (section as HTMLElement).hidden = views.every((view) => view.hidden);
  }
}

async function load(): Promise<void> {
  try {
    show(await loadDocument(access));
    state.textContent = access.key === '' ? (access.csrf ? 'Signed in' : 'Not signed in') : 'Key in use';
  } catch (error) {
    state.textContent = (error as Error).message;
  }
}

filter.addEventListener('input', applyFilter);
byId<HTMLFormElement>('access').addEventListener('submit', (event) => {
  event.preventDefault();
  access.key = byId<HTMLInputElement>('key').value.trim();
  void load();
});
access.csrf = await sessionToken().catch(() => undefined);
await load();
