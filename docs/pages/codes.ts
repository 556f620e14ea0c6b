import { type ErrorEntry, errorTable } from '#shared/errors.ts';
import { agentErrors, appErrors } from '#shared/errors/app.ts';
import { callingErrors } from '#shared/errors/calling.ts';
import { chatErrors } from '#shared/errors/chat.ts';
import { codeErrors } from '#shared/errors/code.ts';
import { connectionErrors } from '#shared/errors/connection.ts';
import { clusterErrors, durableErrors, waitErrors } from '#shared/errors/durable.ts';
import { fileErrors } from '#shared/errors/file.ts';
import { flowSourceErrors } from '#shared/errors/flow-source.ts';
import { flowTestErrors } from '#shared/errors/flow-test.ts';
import { keyErrors } from '#shared/errors/key.ts';
import { documentErrors, knowledgeErrors } from '#shared/errors/knowledge.ts';
import { modelErrors } from '#shared/errors/model.ts';
import { outboundErrors } from '#shared/errors/outbound.ts';
import { packageErrors } from '#shared/errors/package.ts';
import { requestErrors } from '#shared/errors/request.ts';
import { runErrors, subFlowErrors } from '#shared/errors/run.ts';
import { ProblemCode, problemMeanings } from '#shared/problem.ts';
import { code, page, table } from './markdown.ts';

/** The parts of the table, each with where its errors come from. */
const sources: readonly [string, Readonly<Record<string, ErrorEntry>>][] = [
  ['Requests', requestErrors],
  ['Keys and signatures', keyErrors],
  ['Repeated calls and limits of runs', callingErrors],
  ['Runs and their nodes', runErrors],
  ['Durable runs', durableErrors],
  ['Waits for people', waitErrors],
  ['Flows that call flows', subFlowErrors],
  ['Files', fileErrors],
  ['Tables and documents', documentErrors],
  ['Knowledge', knowledgeErrors],
  ['Tests and evaluations', flowTestErrors],
  ['Requests that flows make, and secrets', outboundErrors],
  ['Connections and databases', connectionErrors],
  ['Code in flows', codeErrors],
  ['Models', modelErrors],
  ['Chat', chatErrors],
  ['Agents', agentErrors],
  ['Apps', appErrors],
  ['Packages and sources', packageErrors],
  ['Servers on one database', clusterErrors],
  ['Flows from folders or a git repository', flowSourceErrors],
];

/** What a caller can get. */
export function errorsPage(): string {
  const told = new Set(sources.flatMap(([, errors]) => Object.keys(errors)));
  const missing = Object.keys(errorTable).filter((name) => !told.has(name));
  if (missing.length > 0) throw new Error(`docs/pages/codes.ts: say where ${missing.join(', ')} come from.`);
  return page(
    '# Errors',
    'Every error has a code, over HTTP, in the events of a run and on the command line alike. The code is the contract; the text of a message may change. A user’s own operator may throw further codes; they are answered with status 500.',
    'Where `retry` is set on a node, only errors that may pass are tried again.',
    ...sources.flatMap(([source, errors]) => [`## ${source}`, errorRows(errors)]),
  );
}

function errorRows(errors: Readonly<Record<string, ErrorEntry>>): string {
  const rows = Object.entries(errors).map(([name, entry]) => [
    code(name),
    String(entry.status),
    entry.meaning,
    entry.remedy,
    entry.transient ? 'yes' : '',
  ]);
  return table(['code', 'status', 'meaning', 'what to do', 'may pass'], rows);
}

/** What `check` can find in a flow. */
export function problemsPage(): string {
  const rows = ProblemCode.options.map((name) => [code(name), problemMeanings[name]]);
  return page(
    '# Problems',
    '`check` finds these problems in flows. All problems of a flow are reported at once, each with its code, its severity (`error` or `warning`), and a sentence that says what to do. If they are known, the node, the field, the line and column, and a fix that can be applied come with it. Only errors keep a flow from going live.',
    table(['code', 'meaning'], rows),
  );
}
