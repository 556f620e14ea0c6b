import { mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { compiling } from '#engine';
import { expressionTools } from '../../../base/adapters/expression-tools.ts';
import { createTriggerTable } from '../../../api/triggers/table.ts';
import { writeFileAtomic } from '../../../base/files/atomic-file.ts';
import { testBus } from '../../../storage/database/testing/bus.ts';
import { createFlowService } from '../flow-service.ts';
import { actorNamed, builtInRegistry, helloFlow } from './flow-fixture.ts';

/**
 * Until it is killed, saves the flow `a` of a folder again and again with texts of changing length, and also writes
 * `big.json` to the data folder: so large that a write is in progress at nearly every moment.
 */
enableCompileCache();
const [flows, data] = process.argv.slice(2) as [string, string];
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const service = await createFlowService({
  bus: testBus(),
  config: { flows: [flows], data, editor: 'on', deploy: 'on-save' },
  log,
  registry: await builtInRegistry(),
  triggers: createTriggerTable(),
  variables: { snapshot: () => ({}) },
  compiling,
  tools: expressionTools('UTC'),
  host: { now: Date.now },
});
async function writeBig(): Promise<never> {
  for (let i = 0; ; i++) {
    const text = JSON.stringify({ i, filler: 'x'.repeat(8_000_000), end: i });
    await writeFileAtomic(join(data, 'big.json'), text, { durable: false });
  }
}
mkdirSync(data, { recursive: true });
await writeFileAtomic(join(data, 'big.json'), '{}');
void writeBig();
let { revision } = await service.get('a');
for (let i = 0; ; i++) {
  const says = `${i} ${'x'.repeat((i % 3) * 100_000)}`;
  ({ revision } = await service.save('a', helloFlow('a', { says }), { revision, actor: actorNamed('loop') }));
  process.stdout.write('saved\n');
}
