import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Catalog, ICON_DRAWING } from '#shared/catalog.ts';
import { ASK_EACH_TIME } from '../../access/http/sparing-answer.ts';
import { defineRoute } from './define-route.ts';

const packageApi = () => import('#shared/package-api.ts');

/** `/api/v1/packages`: the npm packages that bring operators. `/api/v1/operators`: the catalog that the editor draws its palette and forms from, each operator with its icon. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/operators',
    scope: 'flows:read',
    tag: 'Platform',
    summary: 'Get the catalog of operators.',
    answer: () => Catalog,
    handle: ({ catalog, editorFiles }, { reply }) => {
      // The longest answer that the editor waits for; it changes with packages and own operators alone.
      void reply.header('cache-control', ASK_EACH_TIME);
      return drawnCatalog(catalog, editorFiles);
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/api/v1/packages',
    scope: 'flows:read',
    tag: 'Platform',
    summary:
      'List the packages of the settings, what their operators may reach, and what is wrong with them.',
    answer: async () => z.array((await packageApi()).Package),
    handle: ({ packages }) => [...packages],
  }),
];

/** By the operators of a catalog, which others replace as a whole. */
const drawn = new WeakMap<Catalog['operators'], Promise<Catalog>>();

/**
 * The catalog with the drawings of its icons. `editorFiles` is the folder of the built editor, which has the drawings
 * of all icons.
 */
function drawnCatalog(catalog: Catalog, editorFiles: string): Promise<Catalog> {
  const before = drawn.get(catalog.operators);
  if (before) return before;
  const now = draw(catalog, editorFiles);
  drawn.set(catalog.operators, now);
  return now;
}

async function draw({ operators }: Catalog, editorFiles: string): Promise<Catalog> {
  const text = await readFile(join(editorFiles, 'icons.json'), 'utf8').catch(() => '{}');
  const drawings = z.record(z.string(), z.string()).parse(JSON.parse(text));
  const entries = Object.entries(operators).map(([type, info]) => {
    const drawing = ICON_DRAWING.test(info.icon) ? info.icon : drawings[info.icon];
    return [type, drawing === undefined ? info : { ...info, drawing }] as const;
  });
  return { operators: Object.fromEntries(entries) };
}
