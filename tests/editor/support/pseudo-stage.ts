import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Route } from '@playwright/test';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { treeshake } from '../../../server/admin/editor-build/first-chunks.ts';
import { root } from '../../support/server.ts';
import { pseudo, pseudoLocale } from './pseudo-locale.ts';

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
const TEXT_FIELDS = new Set(['title', 'doc', 'description', 'label', 'help', 'about', 'text']);
/** What it says of things that happened, in any answer: messages of errors, and changes. */
const SAID = new Set(['message', 'what', 'problem']);

/** From now on the page gets the editor of `folder`, and the server's texts in the same pseudo-locale. */
export async function serveInPseudo(page: Page, folder: string): Promise<void> {
  const index = readFileSync(join(folder, 'index.html'));
  await page.route('**/*', async (route: Route) => {
    const { pathname } = new URL(route.request().url());
    if (route.request().resourceType() === 'document')
      return route.fulfill({ response: await route.fetch(), body: index });
    const file = join(folder, pathname);
    if (pathname.startsWith('/assets/') && existsSync(file)) return route.fulfill({ path: file });
    if (!pathname.startsWith('/api/') || /stream/.test(pathname)) return route.fallback();
    const fields = SERVER_TEXTS.test(pathname) ? TEXT_FIELDS : SAID;
    const response = await route.fetch().catch(() => undefined);
    // The page has gone on meanwhile.
    if (response === undefined) return;
    const value = response.headers()['content-type']?.includes('json')
      ? await response.json().catch(() => undefined)
      : undefined;
    const body = value === undefined ? {} : { body: JSON.stringify(inPseudo(value, fields)) };
    await route.fulfill({ response, ...body }).catch(() => undefined);
  });
}

function inPseudo(value: unknown, fields: ReadonlySet<string>, name = ''): unknown {
  if (typeof value === 'string') return fields.has(name) ? pseudo(value) : value;
  if (Array.isArray(value)) return value.map((one) => inPseudo(one, fields));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inPseudo(one, fields, key)]));
}
