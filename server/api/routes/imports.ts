import { actorOf, audit, ownerOf } from '../../access/security/audit.ts';
import { defineRoute } from './define-route.ts';

const shapes = () => import('#shared/import-report.ts');

/** Of the files of one import, as JSON. */
const MOST_BYTES = 35_000_000;

/** `/api/v1/imports`: flows of other products. */
export default [
  defineRoute({
    method: 'POST',
    url: '/api/v1/imports',
    scope: 'flows:write',
    tag: 'Flows',
    summary:
      'Read flows of other products: what each node becomes, what is lost, what they need. With `save` they are stored as drafts, never live.',
    guide: 'import-export',
    bodyLimit: () => MOST_BYTES,
    body: async () => (await shapes()).ImportBody,
    answer: async () => (await shapes()).ImportAnswer,
    errors: ['conflict', 'servers_too_old', 'flows_read_only', 'storage_failed', 'secret_read_only'],
    async handle(ctx, { request, body: { files, save, open } }) {
      const { givenFiles, readFiles } = await import('../../flows/imports/import-files.ts');
      const { answerOf, withoutSecrets, writeDrafts, writeEach } = await import(
        '../../flows/imports/write-drafts.ts'
      );
      const taken = new Set(ctx.flows.list().map(({ id }) => id));
      const { given, left } = givenFiles(files.map(({ path, text }) => ({ path, bytes: Buffer.from(text) })));
      const found = await readFiles(given, { catalog: ctx.catalog, taken, open });
      const maySecrets = ctx.access.ofRequest(request)?.scopes.has('admin') ?? false;
      const read = maySecrets ? found : withoutSecrets(found);
      if (!save) return answerOf({ ...read, left: [...read.left, ...left] });
      const by = { actor: actorOf(ctx, request), owner: ownerOf(ctx, request) };
      const written = await writeEach(read, async ({ drafts, secrets, pins, report }) => {
        await writeDrafts(ctx, { drafts, found: secrets, pins }, by);
        audit(ctx, request, 'flow imported', { flow: drafts[0]?.flow.id, product: report.product, open });
      });
      if (written.flows.some(({ secrets }) => secrets.length > 0)) await ctx.flows.worldChanged('secrets');
      return answerOf({ ...written, left: [...written.left, ...left] });
    },
  }),
];
