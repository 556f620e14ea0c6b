import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Page, Route } from '@playwright/test';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { treeshake } from '../../../server/admin/editor-build/editor-chunks.ts';
import { root } from '../../support/server.ts';
import { catalogued, pseudo, pseudoLocale } from './pseudo-locale.ts';

/** The environment of a server whose pages for people are in the pseudo-locale. */
export const SERVER_IN_PSEUDO = {
  NODE_OPTIONS: `--import=${pathToFileURL(join(root, 'tests/editor/support/pseudo-server.ts')).href}`,
};

/** Builds the editor in the pseudo-locale into `folder`. */
export async function buildInPseudo(folder: string): Promise<void> {
  await build({
    configFile: false,
    root: join(root, 'editor'),
    logLevel: 'error',
    plugins: [pseudoLocale(root), react(), tailwind()],
    build: { outDir: folder, emptyOutDir: true, minify: false, rolldownOptions: { treeshake } },
  });
}

/** What the server says of operators, templates, services and settings, which is in the catalogue of the server. */
const SERVER_TEXTS = /^\/api\/v1\/(operators|templates|services|settings|shop|connections\/kinds|packages)$/;
const TEXT_FIELDS = new Set(['title', 'doc', 'description', 'label', 'help', 'about', 'text', 'says']);
/** What it says of things that happened, in any answer: messages of errors, and changes. */
const SAID = new Set(['message', 'what', 'problem']);

/** How often in a row nothing may be under way until a page has all that it asks for: a part of it may ask for more. */
const QUIET_LOOKS = 3;
const LOOK_MS = 50;

/**
 * From now on the page gets the editor of `folder`, and the server's texts in the same pseudo-locale. The function that it returns
 * resolves once the page has got all that it asked for, apart from streams.
 */
export async function serveInPseudo(page: Page, folder: string): Promise<() => Promise<void>> {
  const index = readFileSync(join(folder, 'index.html'));
  let underWay = 0;
  const answer = async (route: Route): Promise<void> => {
    const { pathname } = new URL(route.request().url());
    if (route.request().resourceType() === 'document') {
      // The preview of a form is a page of the server, in a frame.
      if (route.request().frame() !== page.mainFrame()) return route.fallback();
      return route.fulfill({ response: await route.fetch(), body: index });
    }
    const file = join(folder, pathname);
    if (pathname.startsWith('/assets/') && existsSync(file)) return route.fulfill({ path: file });
    if (!pathname.startsWith('/api/') || /stream/.test(pathname)) return route.fallback();
    // Its texts are in a catalogue, word for word; what it says of things that happened has values in it.
    const put = SERVER_TEXTS.test(pathname) ? inCatalogue : said;
    const response = await route.fetch().catch(() => undefined);
    // The page has gone on meanwhile.
    if (response === undefined) return;
    const value = response.headers()['content-type']?.includes('json')
      ? await response.json().catch(() => undefined)
      : undefined;
    const body = value === undefined ? {} : { body: JSON.stringify(inPseudo(value, put)) };
    await route.fulfill({ response, ...body }).catch(() => undefined);
  };
  await page.route('**/*', async (route: Route) => {
    underWay++;
    await answer(route).finally(() => underWay--);
  });
  return async () => {
    for (let quiet = 0; quiet < QUIET_LOOKS; quiet = underWay === 0 ? quiet + 1 : 0) await sleep(LOOK_MS);
  };
}

type Put = (text: string, name: string, within: string) => string;

function inPseudo(value: unknown, put: Put, name = '', within = ''): unknown {
  if (typeof value === 'string') return put(value, name, within);
  if (Array.isArray(value)) return value.map((one) => inPseudo(one, put, name, within));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inPseudo(one, put, key, name)]));
}

const known = catalogued(root);

/** The labels of choices have the choices as their names. */
const inCatalogue: Put = (text, name, within) =>
  (TEXT_FIELDS.has(name) || within === 'labels') && known.has(text) ? pseudo(text) : text;

const said: Put = (text, name) => (SAID.has(name) ? pseudo(text) : text);
