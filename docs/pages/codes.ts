import { type ErrorEntry, errorTable } from '#shared/errors.ts';
import { ProblemCode, problemMeanings } from '#shared/problem.ts';
import { code, page, table } from './markdown.ts';

/** What a caller can get. */
export function errorsPage(): string {
  const rows = Object.entries<ErrorEntry>(errorTable).map(([name, entry]) => [
    code(name),
    String(entry.status),
    entry.meaning,
    entry.remedy,
    entry.transient ? 'yes' : '',
  ]);
  return page(
    '# Errors',
    'Every error has a code, over HTTP, in the events of a run and on the command line alike. The code is the contract; the text of a message may change. A user’s own operator may throw further codes; they are answered with status 500.',
    'Where `retry` is set on a node, only errors that may pass are tried again.',
    table(['code', 'status', 'meaning', 'what to do', 'may pass'], rows),
  );
}

/** What `check` can find in a flow. */
export function problemsPage(): string {
  const rows = ProblemCode.options.map((name) => [code(name), problemMeanings[name]]);
  return page(
    '# Problems',
    'What `check` finds wrong with a flow. All problems of a flow are reported at once, each with its code, its severity (`error` or `warning`), a sentence that says what to do, and where it can be known the node, the field, the line and column, and a fix that can be applied. Only errors keep a flow from going live.',
    table(['code', 'meaning'], rows),
  );
}
