import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { signIn } from './client.ts';
import { startDovecot } from './dovecot.ts';
import { eventually } from './eventually.ts';
import { discard, startServer, tempFolder } from './server.ts';

const ADA = { user: 'ada', password: 'right' };
/** A mail has been read, and its run has ended, within this time, in milliseconds. */
const MOMENT_MS = 1500;

export const letter = (subject: string, more = ''): string =>
  `From: Ada <ada@example.com>\nTo: shop@example.com\nSubject: ${subject}\nMessage-ID: <${subject.replaceAll(/\W/g, '')}@example.com>\nDate: Mon, 02 Mar 2026 09:00:00 +0100\n${more}\nText of ${subject}\n`;

const flow = {
  format: 1,
  id: 'orders',
  settings: { record: 'full', durable: true },
  nodes: {
    mail: { operator: 'trigger.mail', params: { connection: 'box' } },
    read: { operator: 'mail.read', params: { connection: 'box' } },
    text: { operator: 'file.to-text', params: {} },
    done: { operator: 'core.map', params: { value: '{{ [nodes.mail.subject, input] }}' } },
  },
  edges: [
    { from: 'mail.out', to: 'read.in' },
    { from: 'text.out', to: 'done.in' },
  ],
};

const withFile = (subject: string): string =>
  letter(
    subject,
    'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nHello\n--b\nContent-Type: text/csv; name=o.csv\nContent-Disposition: attachment; filename=o.csv\nContent-Transfer-Encoding: base64\n\nYSxiCjEsMg==\n--b--',
  );

/** A server is killed that many times while mails arrive; each of them has one run in the end, and no other has. */
export async function killBetweenMails({
  kills,
  mails,
  random = Math.random,
}: {
  readonly kills: number;
  readonly mails: number;
  readonly random?: () => number;
}): Promise<void> {
  const { port, drop } = await startDovecot();
  const [flows, data] = [tempFolder('flows'), tempFolder('data')];
  let server = await startServer({ flows, data });
  onTestFinished(() => discard(server));
  let owner = await signIn(server);
  await owner.data('PUT', '/connections/box', {
    kind: 'imap',
    settings: { host: '127.0.0.1', port, tls: 'off', ...ADA },
    grants: { operators: ['trigger.mail', 'mail.read'] },
  });
  drop(letter('Before'));
  const edges = [...flow.edges, { from: 'read.out', to: 'pick.in' }, { from: 'pick.out', to: 'text.in' }];
  const pick = { operator: 'core.map', params: { value: '{{ input.attachments[0] }}' } };
  writeFileSync(
    join(flows, 'orders.json'),
    JSON.stringify({ ...flow, nodes: { ...flow.nodes, pick }, edges }),
  );
  await eventually(async () => {
    const sources = await owner.data<unknown>('GET', '/sources');
    expect(sources).toMatchObject([{ state: 'listening', lastLookAt: expect.any(String) }]);
  });
  const sent: string[] = [];
  for (let round = 0; round < kills; round++) {
    for (let i = 0; i < mails; i++) {
      const subject = `Order ${round}-${i}`;
      sent.push(subject);
      drop(withFile(subject));
    }
    // Anywhere between the first of these mails and the end of their runs.
    await delay(random() * MOMENT_MS);
    await server.stop('SIGKILL');
    server = await startServer({ flows, data });
    owner = await signIn(server);
  }
  await eventually(async () => {
    const { runs } = await owner.data<{ runs: { status: string }[] }>('GET', '/runs?flow=orders&limit=500');
    expect(runs.filter(({ status }) => status === 'ok')).toHaveLength(sent.length);
  });
  const { runs } = await owner.data<{ runs: { run: string; status: string }[] }>(
    'GET',
    '/runs?flow=orders&limit=500',
  );
  expect(runs).toHaveLength(sent.length);
  const answers = await Promise.all(
    runs.map(async ({ run }) => {
      const { events } = await owner.data<{
        events: { kind: string; node?: string; value?: unknown }[];
      }>('GET', `/runs/${run}/events`);
      return events.find(({ kind, node }) => kind === 'node-output' && node === 'done')?.value;
    }),
  );
  expect(answers.map((answer) => (answer as string[])[0]).sort()).toEqual([...sent].sort());
  expect(new Set(answers.map((answer) => (answer as string[])[1]))).toEqual(new Set(['a,b\n1,2']));
}
