import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { FlowDetail } from '#shared/api.ts';
import { signIn } from './client.ts';
import { eventually } from './eventually.ts';
import { write } from './flows.ts';
import { type Ended, runProgram } from './process.ts';
import { product, root, startServer, tempFolder } from './server.ts';
import { strangersEnv } from './stranger.ts';

/** Somebody who reads a page beside a running server: a folder as a checkout has it, and a shell that stays open. */
export interface Reader {
  readonly folder: string;
  /** Types a block into the shell; what it exports and defines is there for the next one. */
  type(text: string): Promise<Ended>;
  /** Saves a file; one below `flows` is live when this resolves. */
  save(file: string, text: string): Promise<void>;
  close(): Promise<void>;
}

export interface ReaderSetup {
  readonly env?: Record<string, string>;
  /** Files beside the flows, by their path in the repository. */
  readonly files?: readonly string[];
}

/** Packages that pages ask for. */
const installed = [
  ['openai', 'node_modules/openai'],
  ['weft-python', 'server/packages/weft-python'],
] as const;

/** Pages name the port of a server that was started as the README says. */
const WRITTEN = /(127\.0\.0\.1|localhost):5670/g;

export async function startReader({ env = {}, files = [] }: ReaderSetup = {}): Promise<Reader> {
  const folder = tempFolder('reader');
  write(
    folder,
    'package.json',
    JSON.stringify({ scripts: { weft: `node ${join(product, 'server/weft.js')}` } }),
  );
  write(folder, 'weft.config.json', JSON.stringify({ packages: ['weft-python'] }));
  mkdirSync(join(folder, 'node_modules'));
  for (const [name, from] of installed) symlinkSync(join(root, from), join(folder, 'node_modules', name));
  for (const file of files) cpSync(join(root, file), join(folder, file), { recursive: true });
  mkdirSync(join(folder, 'flows'), { recursive: true });
  const [flows, data] = [join(folder, 'flows'), join(folder, 'data')];
  const server = await startServer({ cwd: folder, flows, data, env });
  const owner = await signIn(server);
  const { port } = new URL(server.url);
  const shellEnv = strangersEnv({
    WEFT_PORT: port,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
    ...env,
  });
  const kept = join(folder, '.shell');

  async function isLive(file: string, text: string): Promise<void> {
    const id = /^flows\/([a-z0-9_]+)\.json$/.exec(file)?.[1];
    if (id === undefined) return;
    await eventually(async () => {
      const found = await owner.data<FlowDetail>('GET', `/flows/${id}`);
      if (found.state !== 'live' || found.text !== text)
        throw new Error(`${id} is ${found.state}: ${JSON.stringify(found.problems)}`);
    });
  }

  return {
    folder,
    type(text) {
      const shown = text.replaceAll(WRITTEN, `$1:${port}`);
      const before = existsSync(kept) ? `. ${kept}; ` : '';
      const script = `${before}set -e; ${shown}\n{ export -p; declare -f; } > ${kept}`;
      return runProgram('bash', ['-c', script], { cwd: folder, env: shellEnv, timeout: 60_000 });
    },
    async save(file, text) {
      const shown = `${text.replaceAll(WRITTEN, `$1:${port}`)}\n`;
      write(folder, file, shown);
      await isLive(file, shown);
    },
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
