import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { write } from '../support/flows.ts';
import { fencesOf } from '../support/markdown.ts';
import { type Ended, type Program, runProgram, startProgram } from '../support/process.ts';
import { readyClone, strangersEnv } from '../support/stranger.ts';

/**
 * The commands of these pages are typed in a fresh clone with its server, in their order (`readme.test.ts` types the installation); a
 * page has one shell. A block that cannot be
 * typed as it is has no language, or another one than `sh`.
 */
const pages = [
  'docs/knowledge.md',
  'docs/chat.md',
  'docs/files.md',
  'docs/waiting.md',
  'docs/observability.md',
  'docs/import-export.md',
  'docs/apps.md',
  'docs/agents.md',
  'docs/calling.md',
];

let clone: string;
let server: Program;
let env: Record<string, string | undefined>;

beforeAll(async () => {
  clone = await readyClone();
  const folder = join(clone, 'shop');
  mkdirSync(folder, { recursive: true });
  using shop = new DatabaseSync(join(folder, 'shop.db'));
  shop.exec("CREATE TABLE sales (product TEXT, amount REAL); INSERT INTO sales VALUES ('Lamp', 25.0)");
  env = strangersEnv({ WEFT_PORT: '0', WEFT_LOG_FORMAT: 'pretty', npm_config_prefer_offline: 'true' });
  server = startProgram('node', ['server'], { cwd: clone, env: { ...env, WEFT_FOLDERS: `shop=${folder}` } });
  const [, port = ''] = await server.prints(/Editor +http:\/\/127\.0\.0\.1:(\d+)\//);
  env = { ...env, WEFT_PORT: port };
});
afterAll(async () => {
  await server.interrupt();
  rmSync(dirname(clone), { recursive: true });
});

/** Commands that do not end well here, or that need a moment, by a part of them. */
const special: readonly (readonly [part: string, seen: RegExp])[] = [
  // A model has to be there for that; the demo model writes no statements.
  ['"data:shop_reader"', /"code":"(?:model_\w+|sql_\w+)"/],
  ['spaces/$SPACE/search', /Everybody has 27 days of leave a year\./],
];

async function type(text: string, page: string): Promise<void> {
  const shown = text.replaceAll(/(127\.0\.0\.1|localhost):5670/g, `$1:${env['WEFT_PORT']}`);
  const kept = join(clone, `${page.replaceAll(/\W/g, '_')}.sh`);
  // What a block exports is there for the next one.
  const script = `set -e; [ ! -e ${kept} ] || . ${kept}; ${shown}\nexport -p > ${kept}`;
  const run = (): Promise<Ended> => runProgram('bash', ['-c', script], { cwd: clone, env, timeout: 60_000 });
  const seen = special.find(([part]) => text.includes(part))?.[1];
  if (seen !== undefined) {
    await eventually(async () => expect((await run()).stdout).toMatch(seen));
    return;
  }
  const { code, stdout, stderr } = await run();
  expect({ code, stdout, stderr }).toMatchObject({
    code: 0,
    stdout: expect.not.stringMatching(/"success":\s*false|"error":\s*\{/),
  });
}

/** A block that "Save this as `flows/x.json`:" introduces. */
function save(text: string, before: string): void {
  const file = /as `([^`]+)`:$/.exec(before)?.[1];
  if (file !== undefined) write(clone, file, `${text}\n`);
}

describe.each(pages)('%s', (page) => {
  for (const { language, text, before, line } of fencesOf(page)) {
    if (language === 'json' && before.endsWith('`:'))
      test(`line ${line}: a file to save`, () => save(text, before));
    if (language === 'sh') test(`line ${line}`, () => type(text, page));
  }
});
