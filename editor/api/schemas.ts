import './zod-config.ts';
import { z } from 'zod';
import {
  FlowDetail as AnyFlowDetail,
  FlowSummary,
  Gap,
  RunEventPage as AnyRunEventPage,
  RunPage as AnyRunPage,
  SecretInfo,
  Variable,
} from '#shared/api.ts';
import { OperatorInfo } from '#shared/catalog.ts';
import { ConnectionInfo } from '#shared/connection.ts';
import { Layout } from '#shared/layout.ts';
import { Fix, Problem } from '#shared/problem.ts';
import { RunEvent, RunSummary } from '#shared/run-event.ts';
import { recordsOf } from './records.ts';
import { miss } from './unread.ts';

/**
 * Schemas of the server's answers. They are loaded during the first request, so that the first page does not wait for the
 * schema library.
 */
const problems = recordsOf(
  Problem.extend({
    // A problem is worth showing even without its fix.
    fix: Fix.optional().catch(({ input }) => {
      miss(input);
      return undefined;
    }),
    fixes: recordsOf(Fix).optional(),
  }),
);
export const FlowSummaries = recordsOf(FlowSummary.extend({ problems }));
export const FlowDetail = AnyFlowDetail.extend({ problems });
export const RunPage = AnyRunPage.extend({ runs: recordsOf(RunSummary) });
export const RunEventPage = AnyRunEventPage.extend({ events: recordsOf(z.union([RunEvent, Gap])) });
export const Variables = recordsOf(Variable);
export const Secrets = recordsOf(SecretInfo);
export const Connections = recordsOf(ConnectionInfo);

const operator = recordsOf(OperatorInfo);
export const Catalog = z.object({
  operators: z
    .record(z.string(), z.unknown())
    .transform((all) =>
      Object.fromEntries(
        Object.entries(all).flatMap(([type, one]) => operator.parse([one]).map((info) => [type, info])),
      ),
    ),
});
export const VersionText = z.object({ text: z.string() });
export const Anything = z.unknown();
/** A run that was started. */
export const Begun = z.object({ run: z.string() });

export const Session = z.object({
  csrf: z.string().optional(),
  scopes: z.array(z.string()),
  /** Whether saves that do not say so publish (`WEFT_DEPLOY`); the editor always saves drafts. */
  deploy: z.enum(['on-save', 'manual']),
  version: z.string(),
  /** The origin of triggers, if it differs from the editor's. */
  triggerOrigin: z.string().optional(),
  /** The zone of flows that set none; absent: UTC. */
  timezone: z.string().optional(),
  /** Missing stores of the data folder, one sentence each. */
  lost: z.array(z.string()).optional(),
  /** Why this server starts no schedules: another one does. */
  schedulesElsewhere: z.string().optional(),
  /** Whether servers may share the data. */
  cluster: z.boolean().optional(),
});

export const Invite = z.object({ address: z.string() });

/** The next request to a draft's test address. */
export const Listening = z.object({ listening: z.boolean() });

export const Heard = z.object({
  /** Null if no request came in time. */
  run: z.string().nullable(),
  request: z.object({ method: z.string(), path: z.string(), query: z.string() }).nullable(),
});

export { Layout, RunSummary, SecretInfo };
