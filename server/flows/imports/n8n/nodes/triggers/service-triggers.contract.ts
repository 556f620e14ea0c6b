import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { formatFlow } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import type { ImportReport } from '#shared/import-report.ts';
import { eventually } from '../../../../../../tests/support/eventually.ts';
import { loadOperators } from '../../../../../base/authored/load-operators.ts';
import { withServices } from '../../../../../integrations/services/services.ts';
import { shippedRegistry } from '../../../../../integrations/services/shipped.ts';
import { startBed, tempFolder } from '../../../../../testing/platform-bed.ts';
import { standIn } from '../../../../../testing/stand-in.ts';
import { givenFile, readFiles } from '../../../import-files.ts';
import { n8nFile } from '../../testing/short.ts';

const { catalog } = withServices((await loadOperators({ builtIn: true })).registry, shippedRegistry());

export const AT_HOME = /https:\/\/graph\.(?:microsoft|facebook)\.com/g;

/** A workflow with one trigger of a service, and a node behind it, as it is imported. */
export async function imported(
  kind: string,
  parameters: Record<string, unknown>,
): Promise<{ flow: Flow; others: readonly Flow[]; report: ImportReport }> {
  const short = {
    nodes: {
      On: [kind, parameters, { credentials: { any: { id: '1', name: 'Account' } } }] as const,
      Item: ['set@3.4', { includeOtherFields: true, assignments: { assignments: [] } }] as const,
    },
    wires: ['On > Item'],
  };
  const bytes = Buffer.from(JSON.stringify(n8nFile('Job', short)));
  const { flows } = await readFiles([givenFile({ path: 'a.json', bytes })], { catalog, taken: new Set() });
  const [one] = flows;
  const [flow, ...others] = (one?.drafts ?? []).map((draft) => draft.flow);
  return { flow: flow as Flow, others, report: one?.report as ImportReport };
}

/** What runs of an imported workflow end with, oldest first; `before` is there when it goes live, `after` comes later. */
export async function itemsOf(
  [kind, parameters]: readonly [string, Record<string, unknown>],
  answer: (path: string, isLater: boolean) => unknown,
  count: number,
): Promise<unknown[]> {
  let asked = 0;
  let isLater = false;
  const address = await standIn(({ path }) => {
    asked += 1;
    return answer(path, isLater);
  });
  const { flow, others, report } = await imported(kind, parameters);
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  expect(report.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
  const [need] = report.needs.filter((one) => one.kind === 'connection');
  // A minute is long for a test.
  const nodes = Object.entries(flow.nodes).map(([id, node]) => {
    const params = { ...(node.params as Record<string, unknown>) };
    return [id, 'every' in params ? { ...node, params: { ...params, every: 1 } } : node];
  });
  const folder = await tempFolder();
  await writeFile(
    join(folder, 'job.json'),
    formatFlow({ ...flow, nodes: Object.fromEntries(nodes) as Flow['nodes'] }).replaceAll(AT_HOME, ''),
  );
  // The addresses of services are below that of the connection.
  for (const other of others)
    await writeFile(join(folder, `${other.id}.json`), formatFlow(other).replaceAll(AT_HOME, ''));
  const bed = await startBed({ flows: [folder] });
  await bed.ctx.connections.put(need?.name ?? '', {
    kind: 'http',
    settings: { address, auth: 'bearer', secret: 'a-token' },
    grants: { flows: ['job', ...others.map(({ id }) => id)] },
  });
  await bed.ctx.flows.worldChanged('connections');
  await eventually(() => expect(asked).toBeGreaterThan(0));
  await new Promise((resolve) => setTimeout(resolve, 300));
  isLater = true;
  const ended = async (): Promise<unknown[]> => {
    const runs = await bed.ctx.durable.list({ flow: 'job', status: ['ok', 'failed'], limit: 100 });
    return runs.map(({ status, answer: end }) => (status === 'ok' ? end?.body : status)).reverse();
  };
  await eventually(async () => expect(await ended()).toHaveLength(count));
  return ended();
}

/** What Gmail answers: a mail with a table is there later. */
export const mails = (path: string, isLater: boolean): unknown => {
  if (path === '/messages')
    return { messages: (isLater ? ['m2', 'm1'] : ['m1']).map((id) => ({ id, threadId: 't' })) };
  const lines = [
    'From: Ada <ada@example.com>',
    'To: shop@example.com, Bob <bob@example.com>',
    'Subject: Figures',
    'Date: Mon, 02 Mar 2026 08:00:00 +0000',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'See the table.',
    '--b',
    'Content-Type: text/csv',
    'Content-Disposition: attachment; filename=table.csv',
    '',
    'a,b',
    '--b--',
  ];
  const raw = Buffer.from(lines.join('\r\n')).toString('base64url');
  return { id: 'm2', threadId: 't', labelIds: ['INBOX'], snippet: 'See', raw };
};
