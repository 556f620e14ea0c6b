import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { type DamagedForm, damagedForms, sendDamaged } from '../../tests/support/damaged-forms.ts';
import type { Line } from '../harness.ts';
import { flowFolder, type Server, startWeft } from '../servers.ts';
import { fact, never, pause, type SoakContext, type SoakPart } from './part.ts';

const AT_ONCE = 8;
/** Forms that are made up at a time. */
const BATCH = 1000;

const FILE = { type: 'object', format: 'file' };
const FLOWS = [
  {
    format: 1 as const,
    id: 'upload',
    settings: { record: 'off' as const },
    nodes: {
      in: {
        operator: 'trigger.http',
        params: { path: '/upload', methods: ['POST'], auth: 'none', accept: ['multipart'] },
      },
    },
    edges: [],
  },
  {
    format: 1 as const,
    id: 'form',
    settings: { record: 'off' as const },
    nodes: {
      in: {
        operator: 'trigger.form',
        params: {
          path: '/form',
          title: 'Form',
          after: 'result',
          rate: { limit: 100_000, per: 'second', by: 'all' },
          schema: { type: 'object', properties: { doc: { ...FILE, maxBytes: 20 }, a: { type: 'string' } } },
        },
      },
    },
    edges: [],
  },
];

/** Uploads whose bodies chance has damaged, to a trigger and to the page of a form. */
export const uploads: SoakPart = {
  name: 'uploads',
  title: 'Uploads that chance has damaged',
  async run({ random, short, say }: SoakContext): Promise<Line[]> {
    const count = short ? 1000 : 100_000;
    using folder = flowFolder(FLOWS);
    await using server = await startWeft(folder.path, { anyCore: true });
    const found: string[] = [];
    let taken = 0;
    for (let done = 0; done < count; done += BATCH) {
      const todo = fc.sample(damagedForms, { seed: random.between(0, 2 ** 31 - 1), numRuns: BATCH });
      const sender = async (): Promise<void> => {
        for (let sent = todo.pop(); sent !== undefined; sent = todo.pop()) {
          const { fault, files } = await outcomeOf(server, sent, todo.length % 2 === 0);
          taken += files;
          if (fault !== undefined)
            found.push(`${fault}: ${sent.type} ${JSON.stringify(sent.body.toString('latin1'))}`);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, sender));
      if (!short && done % 10_000 === 0) say(`${done} uploads: ${server.rssMB().toFixed(0)} MB`);
    }
    const hasEnded = server.child.exitCode !== null || server.child.signalCode !== null;
    const left = await leftIn(folder.path, taken);
    return [
      fact('uploads', count),
      never('uncoded answers, bugs, paths in names', found),
      never('files left of refused uploads', left > 0 ? [`${left} files`] : []),
      never('crashes', hasEnded ? ['the server has ended'] : []),
      fact('files taken', taken),
    ];
  },
};

interface Outcome {
  readonly fault?: string;
  /** How many files a run or a corrected form was given. */
  readonly files: number;
}

async function outcomeOf({ origin }: Server, sent: DamagedForm, toPage: boolean): Promise<Outcome> {
  const path = toPage ? '/form/form' : '/api/v1/awel/trigger/upload';
  const answer = await sendDamaged(Number(new URL(origin).port), path, sent).catch(String);
  // Who ends before the announced length may get no answer.
  if (answer === '' && sent.missing > 0) return { files: 0 };
  const files = (answer.match(/"\$file":"f_|&quot;\$file&quot;: &quot;f_|name="kept\./g) ?? []).length;
  const fault = faultOf(answer, toPage);
  return fault === undefined ? { files } : { fault, files };
}

function faultOf(answer: string, toPage: boolean): string | undefined {
  const [, status = ''] = /^HTTP\/1\.1 (\d+)/.exec(answer) ?? [];
  if (['400', '413'].includes(status) && /"err_code":"(?!internal)\w+"/.test(answer)) return undefined;
  if (!(toPage ? ['200', '303', '422'] : ['200', '204']).includes(status))
    return `answer ${answer.slice(0, 200)}`;
  const isPage = answer.includes('content-type: text/html');
  if (isPage !== toPage && status !== '204') return 'another kind of answer';
  return /"name":"[^"]*[/\\]/.test(answer) ? 'a path in a name' : undefined;
}

/** Refused uploads are deleted just after their answer. */
async function leftIn(folder: string, taken: number): Promise<number> {
  let left = storedIn(folder) - taken;
  for (let i = 0; i < 100 && left > 0; i++) {
    await pause(100);
    left = storedIn(folder) - taken;
  }
  return left;
}

function storedIn(folder: string): number {
  const files = readdirSync(join(folder, 'data/files'), { recursive: true, encoding: 'utf8' });
  return files.filter((name) => /[0-9a-f]{32}/.test(name)).length;
}
