import { agentErrors, appErrors } from './errors/app.ts';
import { callingErrors } from './errors/calling.ts';
import { chatErrors } from './errors/chat.ts';
import { codeErrors } from './errors/code.ts';
import { connectionErrors } from './errors/connection.ts';
import { clusterErrors, durableErrors, waitErrors } from './errors/durable.ts';
import type { ErrorEntry } from './errors/entry.ts';
import { fileErrors } from './errors/file.ts';
import { flowSourceErrors } from './errors/flow-source.ts';
import { flowTestErrors } from './errors/flow-test.ts';
import { keyErrors } from './errors/key.ts';
import { documentErrors, knowledgeErrors } from './errors/knowledge.ts';
import { modelErrors } from './errors/model.ts';
import { outboundErrors } from './errors/outbound.ts';
import { packageErrors } from './errors/package.ts';
import { requestErrors } from './errors/request.ts';
import { runErrors, subFlowErrors } from './errors/run.ts';

export type { ErrorEntry } from './errors/entry.ts';

/**
 * The one table of error codes: all errors that a caller can get, over HTTP, in a run event or from the CLI. The code is the
 * contract, the text is not. `docs/reference/errors.md` is generated from it.
 */
const table = {
  ...agentErrors,
  ...callingErrors,
  ...chatErrors,
  ...clusterErrors,
  ...requestErrors,
  ...runErrors,
  ...subFlowErrors,
  ...outboundErrors,
  ...connectionErrors,
  ...codeErrors,
  ...durableErrors,
  ...documentErrors,
  ...fileErrors,
  ...flowSourceErrors,
  ...flowTestErrors,
  ...appErrors,
  ...keyErrors,
  ...knowledgeErrors,
  ...modelErrors,
  ...waitErrors,
  ...packageErrors,
} as const;

export type ErrorCode = keyof typeof table;

export const errorTable: Readonly<Record<ErrorCode, ErrorEntry>> = table;

/** The row for a code. Codes of operators that are not in the table get a row too. */
export function errorEntry(code: string): ErrorEntry | undefined {
  return Object.hasOwn(table, code) ? errorTable[code as ErrorCode] : undefined;
}
