import '../zod-config.ts';
import { z } from 'zod';
import {
  FlowDetail,
  FlowSummary,
  RunEventPage,
  RunPage,
  SecretInfo,
  StartedRun,
  Variable,
} from '#shared/api.ts';
import { Catalog } from '#shared/catalog.ts';
import { Layout } from '#shared/layout.ts';
import { RunSummary } from '#shared/run-event.ts';

/**
 * What answers of the server must look like. Loaded while the first request is under way, so that the first page does not
 * wait for the schema library.
 */
export const FlowSummaries = z.array(FlowSummary);
export const Variables = z.array(Variable);
export const Secrets = z.array(SecretInfo);
export const VersionText = z.object({ text: z.string() });
export const Anything = z.unknown();

export const Session = z.object({
  csrf: z.string().optional(),
  scopes: z.array(z.string()),
  deploy: z.enum(['on-save', 'manual']),
  version: z.string(),
});

/** The next request to a draft's test address. */
export const Heard = z.object({
  /** Null when nothing came in time. */
  run: z.string().nullable(),
  request: z.object({ method: z.string(), path: z.string(), query: z.string() }).nullable(),
});

export { Catalog, FlowDetail, Layout, RunEventPage, RunPage, RunSummary, SecretInfo, StartedRun };
