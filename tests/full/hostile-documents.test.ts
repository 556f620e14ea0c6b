import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { paper } from '../../server/integrations/documents/testing/made.ts';
import {
  docxOf,
  docxText,
  shownBy,
  stream,
  xlsxOf,
} from '../../server/integrations/knowledge/testing/hostile-documents.ts';
import { type Answer, ask, call } from '../support/client.ts';
import { httpTrigger, type NodeJson, write } from '../support/flows.ts';
import { discard, startServer, tempFolder, type TestServer } from '../support/server.ts';

/** Documents that are small on the wire and huge in memory, sent to a server by anybody. */
let server: TestServer;

const MB = 1_000_000;
/** What hostile documents may add to the server's own memory, in bytes. */
const MORE = 160 * 1024 ** 2;
/** Between two questions to a server that reads such documents. */
const PAUSE_MS = 50;

/** Answers with what a node reads of a body. */
function readingFlow(id: string, read: NodeJson, value: string): void {
  const limits = { fileBytes: 10 * MB, filesBytes: 10 * MB };
  write(server.flows, `${id}.json`, {
    format: 1,
    id,
    nodes: {
      trigger: httpTrigger(`/${id}`, { methods: ['POST'], accept: ['bytes'], limits }),
      read,
      size: { operator: 'core.map', params: { value } },
    },
    // A busy machine takes longer than a run may by default.
    settings: { timeoutMs: 500_000 },
    edges: [
      { from: 'trigger.out', to: 'read.in' },
      { from: `read.${READ_OUTPUTS[id] ?? 'out'}`, to: 'size.in' },
    ],
  });
}
const READ_OUTPUTS: Readonly<Record<string, string>> = {
  pdf: 'text',
  html: 'text',
  xlsx: 'rows',
  csv: 'rows',
};

const zeros = (mb: number): Uint8Array => new Uint8Array(mb * MB);
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const flate = (bytes: Uint8Array, filters = '/FlateDecode'): Uint8Array =>
  shownBy(stream(latin1(deflateSync(bytes)), `/Filter ${filters}`));
/** 128 zeros, again and again, as RunLengthDecode reads them. */
const runs = (mb: number): Uint8Array =>
  new Uint8Array((mb * MB) / 64).map((_, i) => (i % 2 === 0 ? 129 : 0));
const cell = (text: string): Uint8Array =>
  strToU8(
    `<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>${text}</t></is></c></row></sheetData></worksheet>`,
  );

interface Hostile {
  readonly flow: string;
  readonly made: () => Uint8Array;
}

const HOSTILE: Readonly<Record<string, Hostile>> = {
  'a PDF whose page unpacks to 400 MB': { flow: 'pdf', made: () => flate(zeros(400)) },
  'a PDF packed twice': {
    flow: 'pdf',
    made: () => flate(deflateSync(zeros(400)), '[/FlateDecode /FlateDecode]'),
  },
  'a PDF of runs of zeros': { flow: 'pdf', made: () => flate(runs(500), '[/FlateDecode /RunLengthDecode]') },
  'a sheet with a cell of 150 MB': { flow: 'xlsx', made: () => xlsxOf(cell('x'.repeat(150 * MB))) },
  'a workbook with 190 MB of shared texts': {
    flow: 'xlsx',
    made: () => xlsxOf(cell('x'), `<sst>${'<si><t>x</t></si>'.repeat((190 * MB) / 17)}</sst>`),
  },
  'a letter of 210 MB': { flow: 'docx', made: () => docxText('x'.repeat(210 * MB)) },
  'a letter of 60 MB of elements': {
    flow: 'docx',
    made: () => docxOf(`<w:document>${'<w:p/>'.repeat(10 * MB)}</w:document>`),
  },
  'a page of a million elements': { flow: 'html', made: () => strToU8('<b>x</b>'.repeat(MB)) },
  'an XML of half a million elements': {
    flow: 'xml',
    made: () => strToU8(`<a>${'<b/>'.repeat(MB / 2)}</a>`),
  },
  'a table with a line of 8 MB': { flow: 'csv', made: () => strToU8(`a,b\n${'1,'.repeat(4 * MB)}`) },
  'an archive of 400 MB': { flow: 'zip', made: () => zipSync({ zeros: zeros(400) }) },
};
const REFUSALS = ['document_too_large', 'document_unreadable', 'archive_refused', 'value_too_large'];

beforeAll(async () => {
  server = await startServer({ flows: tempFolder('flows') });
  const maxBytes = 50 * MB;
  const all = '{{ length(input) > 0 ? 1 : 0 }}';
  readingFlow('pdf', { operator: 'text.from-pdf' }, '{{ length(input) }}');
  readingFlow('docx', { operator: 'text.from-docx' }, all);
  readingFlow('html', { operator: 'text.from-html', params: { maxBytes } }, all);
  readingFlow(
    'xml',
    { operator: 'text.parse-xml', params: { maxBytes } },
    '{{ length(input.a.b) == 500000 ? 1 : 0 }}',
  );
  readingFlow('xlsx', { operator: 'data.read-xlsx', params: { header: false } }, all);
  readingFlow('csv', { operator: 'data.read-csv', params: { values: 'guess' } }, all);
  readingFlow('zip', { operator: 'file.unzip', params: { maxBytes } }, all);
});
afterAll(() => discard(server));

const send = (flow: string, body: Uint8Array): Promise<Answer> =>
  call(server, `/${flow}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: body as BodyInit,
  });

/** The most memory that the server has had since the last call, in bytes. */
function peak(): number {
  const folder = `/proc/${server.process.pid}`;
  const status = readFileSync(`${folder}/status`, 'utf8');
  writeFileSync(`${folder}/clear_refs`, '5');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** Asks the server whether it is well until `work` is over, and between that for an honest document. */
async function besides<T>(work: Promise<T>): Promise<T> {
  let isOver = false;
  const done = work.finally(() => void (isOver = true));
  do {
    expect((await ask(`${server.url}/healthz`)).status).toBe(200);
    expect(await send('csv', strToU8('a,b\n1,2\n'))).toMatchObject({ status: 200, body: 1 });
    await delay(PAUSE_MS);
  } while (!isOver);
  return done;
}

describe('documents that are small on the wire and huge in memory', () => {
  test.each(Object.entries(HOSTILE))('%s', { timeout: 600_000 }, async (_name, { flow, made }) => {
    const file = made();
    expect(file.length).toBeLessThan(10 * MB);
    for (let i = 0; i < 2; i++) expect((await send('pdf', paper(['Honest']))).body).toBe(6);
    peak();
    const before = peak();
    const four = await besides(Promise.all([1, 2, 3, 4].map(() => send(flow, file))));
    const more = peak() - before;
    for (const { status, body } of four) {
      if (status === 200) expect(body).toBe(1);
      else expect(REFUSALS).toContain((body as { err_code: string }).err_code);
    }
    expect(more).toBeLessThan(MORE);
    expect((await send('pdf', paper(['Honest']))).body).toBe(6);
  });
});
