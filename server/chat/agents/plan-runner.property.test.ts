import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import type { PlanStatus } from '#shared/chat-item.ts';
import type { PlannedStep } from './plan.ts';
import { runPlan, type StepEnd } from './plan-runner.ts';

/** For each step: how often it fails before it succeeds, and how many turns an attempt takes. */
interface Case {
  readonly steps: readonly PlannedStep[];
  readonly failures: readonly number[];
  readonly turns: readonly number[];
  readonly concurrency: number;
}

const ATTEMPTS = 3;

const cases: fc.Arbitrary<Case> = fc
  .array(
    fc.record({
      on: fc.array(fc.nat(), { maxLength: 3 }),
      failures: fc.nat({ max: ATTEMPTS + 1 }),
      turns: fc.nat({ max: 4 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .chain((drafts) =>
    fc.record({
      steps: fc.constant(
        drafts.map(
          ({ on }, at): PlannedStep => ({
            name: `step ${at}`,
            agent: 'a',
            dependsOn: at === 0 ? [] : [...new Set(on.map((n) => n % at))],
          }),
        ),
      ),
      failures: fc.constant(drafts.map(({ failures }) => failures)),
      turns: fc.constant(drafts.map(({ turns }) => turns)),
      concurrency: fc.integer({ min: 1, max: 4 }),
    }),
  );

interface Course {
  readonly ends: readonly StepEnd[] | undefined;
  readonly reason: unknown;
  readonly reports: readonly { readonly at: number; readonly status: PlanStatus }[];
  readonly peak: number;
  readonly left: number;
}

/** `stopAfter` is the number of attempts after which everything is cancelled. */
async function play(plan: Case, stopAfter = Number.POSITIVE_INFINITY): Promise<Course> {
  const { steps, failures, turns, concurrency } = plan;
  const controller = new AbortController();
  const { signal } = controller;
  const reports: { at: number; status: PlanStatus }[] = [];
  let active = 0;
  let peak = 0;
  let attempts = 0;

  async function run(at: number, results: readonly string[], attempt: number): Promise<string> {
    peak = Math.max(peak, ++active);
    try {
      expect(results).toEqual(steps[at]?.dependsOn.map((on) => `result ${on}`));
      for (let turn = 0; turn < (turns[at] ?? 0); turn++) {
        await Promise.resolve();
        signal.throwIfAborted();
      }
      if (++attempts >= stopAfter) controller.abort(new Error('called off'));
      if (attempt <= (failures[at] ?? 0)) throw new Error(`failure ${attempt}`);
      return `result ${at}`;
    } finally {
      active--;
    }
  }

  const outcome = await runPlan({
    steps,
    concurrency,
    attempts: ATTEMPTS,
    signal,
    run,
    mayRetry: () => true,
    pause: async () => signal.throwIfAborted(),
    changed: (at, status) => reports.push({ at, status }),
  }).then(
    (ends) => ({ ends, reason: undefined }),
    (reason: unknown) => ({ ends: undefined, reason }),
  );
  return { ...outcome, reports, peak, left: active };
}

const isFinal = (status: PlanStatus): boolean => status === 'complete' || status === 'failed';

function courseOf({ reports }: Course, at: number): PlanStatus[] {
  return reports.filter((one) => one.at === at).map(({ status }) => status);
}

/** Each step is reported from its start to one final status, and not after that. */
function expectWholeCourses(course: Course, { steps }: Case): void {
  for (const [at, { dependsOn }] of steps.entries()) {
    const statuses = courseOf(course, at);
    expect(statuses[0]).toBe(dependsOn.length === 0 ? 'todo' : 'waiting');
    expect(statuses.filter(isFinal)).toHaveLength(1);
    expect(isFinal(statuses.at(-1) as PlanStatus)).toBe(true);
  }
}

test('any plan ends with every step final: complete if it and all that it depends on can succeed, otherwise failed', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (plan) => {
      const course = await play(plan);
      expectWholeCourses(course, plan);
      const good: boolean[] = [];
      for (const [at, { dependsOn }] of plan.steps.entries())
        good[at] = (plan.failures[at] ?? 0) < ATTEMPTS && dependsOn.every((on) => good[on]);
      expect(course.ends?.map(({ status }) => status === 'complete')).toEqual(good);
    }),
    { numRuns: 400 },
  );
});

test('no step begins before its dependencies are complete, and never more than allowed at once', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (plan) => {
      const course = await play(plan);
      expect(course.peak).toBeLessThanOrEqual(plan.concurrency);
      const complete = new Set<number>();
      for (const { at, status } of course.reports) {
        if (status === 'running')
          expect(plan.steps[at]?.dependsOn.every((on) => complete.has(on))).toBe(true);
        if (status === 'complete') complete.add(at);
      }
    }),
    { numRuns: 400 },
  );
});

test('a step is retried up to its limit, with `retrying` in between', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (plan) => {
      const course = await play(plan);
      for (const [at, failures] of plan.failures.entries()) {
        const statuses = courseOf(course, at);
        if (!statuses.includes('running')) continue;
        const attempts = Math.min(failures + 1, ATTEMPTS);
        expect(statuses.filter((status) => status === 'running')).toHaveLength(attempts);
        expect(statuses.filter((status) => status === 'retrying')).toHaveLength(attempts - 1);
      }
    }),
    { numRuns: 200 },
  );
});

test('a plan that is cancelled at any moment ends with the reason, and every step is final', async () => {
  await fc.assert(
    fc.asyncProperty(cases, fc.integer({ min: 1, max: 20 }), async (plan, stopAfter) => {
      const course = await play(plan, stopAfter);
      expect(course.left).toBe(0);
      expectWholeCourses(course, plan);
      if (course.ends === undefined) expect(course.reason).toMatchObject({ message: 'called off' });
    }),
    { numRuns: 400 },
  );
});

test('independent steps run at the same time', async () => {
  const steps = [0, 1, 2, 3].map((at) => ({ name: `step ${at}`, agent: 'a', dependsOn: [] }));
  const { peak } = await play({ steps, failures: [0, 0, 0, 0], turns: [3, 3, 3, 3], concurrency: 3 });
  expect(peak).toBe(3);
});
