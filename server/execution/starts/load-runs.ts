import {
  type Call,
  compile,
  defineOperator,
  extendRegistry,
  input,
  type Operator,
  type Outcome,
  output,
  type Registry,
  type Run,
  type Tools,
  WeftError,
} from '#engine';
import { z } from 'zod';
import type { Flow } from '#shared/flow.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { type RecordLoad, unrecorded } from '../../integrations/knowledge/ingest.ts';
import type { DocumentLoad, StepCall } from '../../integrations/knowledge/load-document.ts';
import type { RunHub } from '../runs/run-types.ts';
import { liveFlow } from './built-in-flows.ts';

/** The most compiled flows of spaces that are kept. */
const KEPT = 100;
/** The longest limit that a flow may have. */
const DAY_MS = 86_400_000;

interface LoadRunsDeps {
  readonly runs: Pick<RunHub, 'start'>;
  readonly registry: Registry;
  readonly tools: Tools;
}

/** A load that a run has begun. */
interface Loading {
  readonly load: DocumentLoad;
  /** The error of a step, as it was thrown. */
  failed?: { readonly error: unknown };
}

/**
 * Loads documents as runs of a built-in flow for each space, `load:<name>`, with a node for each step. Their operators
 * exist only in these flows. Progress is noted with the document: a load that a kill interrupted continues in a run of
 * its own. A full server loads without a run, because flows may wait for the document.
 */
export function createLoadRuns({ runs, registry, tools }: LoadRunsDeps): RecordLoad {
  const loads = new Map<string, Loading>();
  const own = extendRegistry(registry, stepOperators(loads));
  const flows = new Map<string, ReturnType<typeof liveFlow>>();

  function flowOf(space: string): ReturnType<typeof liveFlow> {
    const id = `load:${space}`;
    const flow =
      flows.get(id) ?? liveFlow(stepsOf(id), (made, version) => compile(made, version, own, tools));
    flows.set(id, flow);
    if (flows.size > KEPT) flows.delete(flows.keys().next().value as string);
    return flow;
  }

  return async (load, signal) => {
    const { id, name, kind } = load.source.document;
    const given = { document: id, name, kind };
    const flow = flowOf(load.source.space);
    const loading: Loading = { load };
    loads.set(id, loading);
    try {
      const request = { method: 'POST', query: {}, params: {}, headers: {}, body: given };
      const run = runs.start({ flow, trigger: 'document', request, output: given, source: 'knowledge' });
      const outcome = await ended(run, signal);
      if (outcome.status === 'ok') return;
      if (loading.failed !== undefined && outcome.status === 'failed') throw loading.failed.error;
      const { code = 'run_cancelled', message = '' } = outcome.error ?? {};
      throw new WeftError(
        code,
        code === 'run_cancelled'
          ? 'The loading was cancelled; read the document again to repeat it.'
          : message,
      );
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'overloaded') throw error;
      await unrecorded(load, signal);
    } finally {
      loads.delete(id);
    }
  };
}

async function ended(run: Run, signal: AbortSignal): Promise<Outcome> {
  const stop = (): void => run.cancel('shutdown');
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await new Promise((resolve) => run.onEnd(resolve));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function stepsOf(id: string): Flow {
  return {
    format: 1,
    id,
    settings: { timeoutMs: DAY_MS },
    nodes: {
      document: { operator: 'trigger.manual' },
      load: { operator: 'knowledge.load-text' },
      split: { operator: 'knowledge.split-text' },
      embed: { operator: 'knowledge.embed-chunks' },
    },
    edges: [
      { from: 'document.out', to: 'load.in' },
      { from: 'load.out', to: 'split.in' },
      { from: 'split.out', to: 'embed.in' },
    ],
  };
}

const Given = z.object({ document: z.string() });

function stepOperators(loads: ReadonlyMap<string, Loading>): ReadonlyMap<string, Operator> {
  const step = (
    title: string,
    doc: string,
    take: (load: DocumentLoad, call: StepCall) => Promise<Readonly<Record<string, unknown>>>,
  ): Operator =>
    defineOperator({
      title,
      doc,
      icon: 'book-up',
      params: z.object({}),
      inputs: { in: input({ doc: 'What the step before has found.' }) },
      outputs: { out: output({ doc: 'What this step has found.' }) },
      effects: 'write',
      examples: [],
      async run(call: Call) {
        const { document } = Given.parse(call.input);
        const loading = loads.get(document);
        if (loading === undefined) throw new WeftError('conflict', 'This document is no longer loaded here.');
        const say: StepCall['say'] = (level, text) => call.log(level, text);
        try {
          const found = await take(loading.load, { by: call.asker, signal: call.signal, say });
          return { document, ...found };
        } catch (error) {
          loading.failed = { error };
          throw error;
        }
      },
    });
  return new Map([
    [
      'knowledge.load-text',
      step('Load', 'Gets a document, and reads its text.', async (load, call) => ({
        ...(await load.read(call)),
      })),
    ],
    [
      'knowledge.split-text',
      step('Split and store', 'Splits a text, and stores the chunks.', async (load) => ({
        chunks: await load.split(),
      })),
    ],
    [
      'knowledge.embed-chunks',
      step('Embed and store', 'Makes vectors of chunks, and stores them.', async (load, call) => ({
        embedded: await load.embed(call),
      })),
    ],
  ]);
}
