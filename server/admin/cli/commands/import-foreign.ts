import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { formatFlow, formatLayout } from '#engine/check';
import { isRecord } from '#shared/json.ts';
import type { ImportAnswer, ImportReport } from '#shared/import-report.ts';
import { isReady } from '#shared/import-report.ts';
import { COMMAND_LINE } from '../../../access/security/access.ts';
import { writeFileAtomic } from '../../../base/files/atomic-file.ts';
import { createRedactor } from '../../../base/secrets/redactor.ts';
import { openSecrets } from '../../../base/secrets/store.ts';
import type { GivenFile, ReadFlow } from '../../../flows/imports/frame/reading.ts';
import { readFiles } from '../../../flows/imports/import-files.ts';
import { answerOf, keepPins, keepSecrets, writeEach } from '../../../flows/imports/write-drafts.ts';
import { createPins } from '../../../execution/starts/partial/pins.ts';
import { createSqlState } from '../../../execution/state/sql-state.ts';
import { createDraftStore } from '../../../flows/service/drafts.ts';
import { layoutPath, scanFlowFiles } from '../../../flows/service/flow-files.ts';
import type { OwnData } from '../../control/own-data.ts';
import { needsServer, withData } from '../../control/with-data.ts';
import { count, type ExitCode, type Io, printable, writeJson } from '../io.ts';
import { openProject, type Project } from '../local/project.ts';

export interface ForeignOptions {
  readonly id: string | undefined;
  readonly open: boolean;
  readonly json: boolean;
  /** Reports what the drafts would be, and writes nothing. */
  readonly check: boolean;
}

/**
 * `weft import` of files of other products: a report, then drafts. Exit code 1 if a flow has something that nothing here stands for, or
 * a file is left out.
 */
export async function importForeign(
  files: readonly GivenFile[],
  { id, open, json, check }: ForeignOptions,
  io: Io,
): Promise<ExitCode> {
  const project = await openProject(io);
  const { config, registry } = project;
  const [home = 'flows'] = config.flows;
  const taken = new Set(
    [...scanFlowFiles(config.flows), ...createDraftStore(home, Date.now).all()].map((one) => one.id),
  );
  const read = await readFiles(files, { catalog: registry.catalog, taken, id, open });
  const written = check
    ? read
    : await withData(
        config,
        (own) => writeEach(read, (made) => writeHere(made, project, own, open)),
        (ask) =>
          writeEach(read, async ({ drafts, secrets: found, pins }) => {
            await ask({
              do: 'flows.draft',
              drafts: [...drafts],
              found: [...found],
              pins: outputsOf(pins),
              open,
            });
          }),
      );
  const answer = answerOf(written);
  if (json || check)
    writeJson(io, check ? { ...answer, imports: answer.imports.map(({ report }) => report) } : answer);
  else print(answer, io);
  const isFine = written.left.length === 0 && answer.imports.every(({ report }) => isReady(report));
  return isFine && written.flows.length > 0 ? 0 : 1;
}

/** Without a server on the folders, the drafts are written where the next server finds them. */
async function writeHere(
  { drafts, secrets: found, pins }: ReadFlow,
  { config }: Project,
  own: OwnData,
  open: boolean,
): Promise<void> {
  if (config.databaseUrl !== undefined)
    throw needsServer(
      config,
      'A server checks the flow against those of the database',
      'use POST /api/v1/imports of another one',
    );
  const [home = 'flows'] = config.flows;
  mkdirSync(home, { recursive: true });
  const store = createDraftStore(home, Date.now);
  for (const { flow, layout } of drafts) {
    await store.write(flow.id, formatFlow(flow), { writers: [COMMAND_LINE] });
    await own.note('flow imported', { flow: flow.id, open });
    await writeFileAtomic(layoutPath(join(home, `${flow.id}.json`)), formatLayout(layout));
  }
  // `own.note` has created the data if there were none.
  if (own.sql) await keepPins(createPins(createSqlState(own.sql, Date.now)), { drafts, pins }, COMMAND_LINE);
  if (found.length === 0) return;
  const { secretStorage } = own;
  const { data, secretsKey: key, secrets: environment, grants } = config;
  const secrets = openSecrets({
    data,
    key,
    secretStorage,
    environment,
    grants,
    redactor: createRedactor(),
    now: Date.now,
  });
  await keepSecrets(secrets, found);
}

/** Outputs are objects by port. */
const outputsOf = (pins: ReadFlow['pins']): Record<string, Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(pins).filter((one): one is [string, Record<string, unknown>] => isRecord(one[1])),
  );

function print({ imports, left, summary }: ImportAnswer, io: Io): void {
  for (const { report } of imports) for (const line of linesOf(report)) say(io, line);
  for (const { file, message } of left) say(io, `left out ${file}: ${message}`);
  if (imports.length < 2) return;
  say(io, `${summary.ready} of ${count(summary.flows, 'flow')} would run once what they need is set up.`);
  for (const { type, flows } of summary.placeholders.slice(0, 10))
    say(io, `  ${type} is missing in ${count(flows, 'flow')}`);
}

function linesOf(report: ImportReport): string[] {
  const { product, name, flows, nodes, changes, next, counts } = report;
  const words = Object.entries(counts)
    .filter(([, n]) => n > 0)
    .map(([word, n]) => `${n} ${word}`);
  return [
    `imported ${name} of ${product} as the draft ${flows.join(', ')}: ${words.join(', ')}`,
    ...nodes.flatMap(({ name: node, type, word, difference, offers }) => {
      if (word === 'equal') return [];
      const ways = offers && offers.length > 0 ? ` Nearest: ${offers.join(', or ')}.` : '';
      return [`  ${word} “${node}” (${type})${difference === undefined ? '' : `: ${difference}`}${ways}`];
    }),
    ...changes.map(({ effect, what, node, before, message }) => {
      const place = node === undefined ? '' : ` of “${node}”`;
      return `  ${effect} ${what}${place}: ${message}${before === undefined ? '' : ` It was: ${before.slice(0, 200)}`}`;
    }),
    ...next.map((step, i) => `  ${i + 1}. ${step}`),
  ];
}

function say(io: Io, line: string): void {
  io.stdout.write(`${printable(line).replaceAll('\n', ' ')}\n`);
}
