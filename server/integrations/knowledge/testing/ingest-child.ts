import { createDocuments } from '../../documents/documents.ts';
import { openPostgres } from '../../../storage/database/postgres/open-postgres.ts';
import { openKnowledge } from '../open-knowledge.ts';
import { DOCUMENTS, textOf } from './corpus.ts';

/**
 * A process that loads documents and is killed at any moment. It reports its steps on standard output. Arguments: the data
 * folder, the round, which determines the texts, and optionally the address of a PostgreSQL for the spaces.
 */

const [, , data = '', round = '0', database] = process.argv;
const say = (what: string): void => void process.stdout.write(`${what}\n`);

const knowledge = await openKnowledge({
  data,
  database: database === undefined ? undefined : await openPostgres(database, []),
  services: () => ({
    documents: createDocuments(),
    models: {
      chat: () => {
        throw new Error('not here');
      },
      async embed({ texts }) {
        say(`embed ${texts.length}`);
        return {
          vectors: texts.map(({ length }) => [length, 1]),
          usage: { inputTokens: 0, outputTokens: 0 },
        };
      },
    },
  }),
  defaultModel: () => 'test/embed',
  findModel: (name) => name,
  // Claims of a killed process soon expire.
  leaseMs: 300,
  warn: (error) => say(`warn ${String(error)}`),
});
const [space = await knowledge.addSpace({ name: 'corpus' })] = await knowledge.spaces();
await knowledge.resume();
say('open');
for (let document = 0; document < DOCUMENTS; document++) {
  const content = new TextEncoder().encode(textOf(document, Number(round)));
  await knowledge.put(space.id, { name: `document ${document}.md`, kind: 'file', content });
  say(`put ${document}`);
}
for (;;) {
  const { items } = await knowledge.documents(space.id, { offset: 0, limit: 1000 });
  if (items.every(({ status }) => status === 'ready' || status === 'failed')) break;
  await new Promise((resolve) => setTimeout(resolve, 5));
}
say('done');
await knowledge.close();
process.exit(0);
