import type { Flow } from '#shared/flow.ts';
import type { ApartText, JudgeThread } from './apart/judge-thread.ts';
import type { CalledFlow, InferSchemas } from './called-flows.ts';
import {
  compiledNow,
  createExaminer,
  type Examine,
  type ExamineDeps,
  type Examined,
  examinedOf,
  judgeNow,
  lookAround,
  openText,
  plansOf,
} from './examine.ts';
import type { FlowText, PlacesIn } from './judge-text.ts';

/** Texts of more characters are read and checked in a thread: this many take about 20 ms. */
export const LARGE_TEXT = 100_000;

/** Plans of a large flow are compiled in turns with requests, on first use. */
export function isLarge({ source }: Pick<Examined, 'source'>): boolean {
  return source.length > LARGE_TEXT;
}

/**
 * The examinations of flow texts, each done once.
 * A1. A result is stored with its text and is valid while its surroundings are the same; read it with `current`.
 * A2. Large texts are checked in a thread, and compiled in turns with requests: a check of ten thousand nodes takes a
 *     second.
 * A3. If the thread fails, the text is checked at once in this thread: correct, though slow.
 */
export interface Examinations {
  /** Examines at once, in this thread. */
  readonly now: Examine;
  /** Throws `overloaded` if too many texts wait. */
  examine(id: string | undefined, source: string | Uint8Array, options?: ExamineOptions): Promise<Examined>;
  /** The stored result of a flow, or a new one if its surroundings have changed. */
  current(id: string, kept: Examined): Promise<Examined>;
  /** The same at once; the stored result for large texts and for callers of large flows, which `current` renews. */
  currentNow(id: string, kept: Examined): Examined;
  /** `compiledNow`, in turns with requests. */
  compiled(examined: Examined): Promise<Examined>;
  /**
   * The same for a text that may go live; a large text is returned unchanged: most versions of a large flow are never
   * called, since it is saved again before.
   */
  forServing(examined: Examined): Examined;
  /** The types of a live flow by trigger, those of large flows inferred in the thread. */
  schemas(flow: CalledFlow | undefined): Promise<CalledFlow['schemas']>;
  /** The operators have changed: the thread gets the new ones. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

export interface ExamineOptions {
  /** `source` by default. */
  readonly places?: PlacesIn;
  readonly onRead?: OnRead | undefined;
}

/** Called with a flow that was read and is now checked in the thread; others are checked at once. */
export type OnRead = (text: FlowText) => void;

export function createExaminations(deps: ExamineDeps, thread: JudgeThread): Examinations {
  const now = createExaminer(deps);
  /** Checks in progress, so that concurrent callers wait for the same one. */
  const pending = new WeakMap<Examined, Promise<Examined>>();

  const inferOnce = inferringOnce(thread);

  const isCurrent = (id: string | undefined, kept: Examined): boolean =>
    kept.around === undefined || lookAround(deps, id, kept).key === kept.around;

  async function examine(
    id: string | undefined,
    source: string | Uint8Array,
    { places = 'source', onRead }: ExamineOptions = {},
  ): Promise<Examined> {
    const found =
      source.length > LARGE_TEXT
        ? await examineApart(deps, thread, { id, source, places }, onRead)
        : undefined;
    // A1: the surroundings may have changed during the check.
    if (found && isCurrent(id, found)) return found;
    const opened = openText(deps, id, source);
    await inferAll(lookAround(deps, id, opened.text).world.flows, inferOnce);
    return judgeNow(deps, id, opened, places);
  }

  const again = async (id: string, kept: Examined): Promise<Examined> => {
    const found = await examine(id, kept.source).catch(() => now(id, kept.source));
    // Whether both have the same text, regardless of the surroundings.
    return { ...found, plans: kept.plans };
  };

  return {
    now,
    examine,
    async current(id, kept) {
      if (isCurrent(id, kept)) return kept;
      const found = pending.get(kept) ?? again(id, kept);
      pending.set(kept, found);
      return found;
    },
    currentNow(id, kept) {
      if (isLarge(kept) || isCurrent(id, kept)) return kept;
      if (lookAround(deps, id, kept).world.flows?.some((flow) => flow.inferApart)) return kept;
      return { ...now(id, kept.source), plans: kept.plans };
    },
    async compiled(examined) {
      if (examined.runnable) await examined.plans.inTurns();
      return compiledNow(examined);
    },
    forServing: (examined) => (isLarge(examined) ? examined : compiledNow(examined)),
    async schemas(flow) {
      await inferAll(flow && [flow], inferOnce);
      return flow?.schemas;
    },
    forget: () => thread.close(),
    close: () => thread.close(),
  };
}

/** Examines a text in the thread; undefined if the thread ended meanwhile. */
async function examineApart(
  deps: ExamineDeps,
  thread: JudgeThread,
  asked: ApartText,
  onRead: OnRead | undefined,
): Promise<Examined | undefined> {
  const { id, places } = asked;
  let around: string | undefined;
  const found = await thread.judge(asked, async (text, infer) => {
    const surroundings = lookAround(deps, id, text);
    around = surroundings.key;
    if (text.flow) onRead?.(text);
    await inferAll(surroundings.world.flows, infer);
    return surroundings.world;
  });
  return found && examinedOf(found.text, found.verdict, { places, around, plans: plansOf(deps, found.text) });
}

/** Concurrent callers wait for the same result. */
function inferringOnce(thread: Pick<JudgeThread, 'infer'>): InferSchemas {
  const inferring = new WeakMap<Flow, ReturnType<InferSchemas>>();
  return (flow) => {
    const found = inferring.get(flow) ?? thread.infer(flow).finally(() => inferring.delete(flow));
    inferring.set(flow, found);
    return found;
  };
}

async function inferAll(flows: readonly CalledFlow[] | undefined, infer: InferSchemas): Promise<void> {
  for (const flow of flows ?? []) await flow.inferApart?.(infer);
}
