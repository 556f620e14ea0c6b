import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from './base/config/read-config.ts';
import { main as serve } from './main.ts';

const examples = fileURLToPath(new URL('../flows/examples', import.meta.url));

/**
 * `npx weft-flow`: the server of `node server`. In a folder without flows and data it puts the examples into the flows
 * folder first, so that a new user sees flows that run.
 */
export async function main(): Promise<void> {
  process.umask(0o077);
  const folder = newFlowsFolder();
  if (folder !== undefined) copyExamples(folder);
  await serve([]);
}

/** The flows folder of a first start; the server itself reports wrong settings. */
function newFlowsFolder(): string | undefined {
  try {
    const { config } = readConfig({ env: process.env, cwd: process.cwd(), terminal: false });
    const [flows = '', ...more] = config.flows;
    return more.length === 0 && !existsSync(flows) && !existsSync(config.data) ? flows : undefined;
  } catch {
    return undefined;
  }
}

/** A folder that cannot be written is reported by the server, which writes to it too. */
function copyExamples(flows: string): void {
  const to = join(flows, 'examples');
  try {
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(examples))
      writeFileSync(join(to, name), readFileSync(join(examples, name)));
    process.stderr.write(`The example flows are in ${to}; delete them when you no longer need them.\n`);
  } catch {
    // The start reports the fault.
  }
}
