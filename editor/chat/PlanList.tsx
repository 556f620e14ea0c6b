import { Circle, CircleCheck, CircleX, Clock, LoaderCircle, type LucideIcon, RotateCw } from 'lucide-react';
import type { AgentPlan, PlanStatus } from '#shared/chat-item.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { countText } from '../ui/format.ts';
import { sectionTitle } from '../ui/styles.ts';

const LOOKS: Readonly<Record<PlanStatus, { icon: LucideIcon; tone: Tone; words: string; spin?: boolean }>> = {
  todo: { icon: Circle, tone: 'neutral', words: 'to do' },
  waiting: { icon: Clock, tone: 'neutral', words: 'waiting' },
  running: { icon: LoaderCircle, tone: 'busy', words: 'running', spin: true },
  retrying: { icon: RotateCw, tone: 'warn', words: 'trying again' },
  failed: { icon: CircleX, tone: 'bad', words: 'failed' },
  complete: { icon: CircleCheck, tone: 'ok', words: 'done' },
};

/** The steps of a team's plan in their current state; each expands to its messages. */
export function PlanList({ plans }: { plans: readonly AgentPlan[] }) {
  const done = plans.filter(({ status }) => status === 'complete').length;
  return (
    <section aria-label="Plan" className="rounded-md border border-line bg-surface-2 px-3 py-2">
      <h3 className={sectionTitle}>
        Plan: {done} of {countText(plans.length, 'step')} done
      </h3>
      <ol className="mt-1 flex flex-col">
        {plans.map((plan) => (
          <li key={plan.num}>
            <Step plan={plan} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Step({ plan: { num, name, agent, status, messages } }: { plan: AgentPlan }) {
  const { icon, tone, words, spin } = LOOKS[status];
  const line = (
    <span className="inline-flex w-[calc(100%-1rem)] items-start gap-2 py-1 align-top">
      <span className="w-4 shrink-0 text-right text-text-2 tabular-nums">{num}</span>
      <span className="min-w-0 flex-1 wrap-anywhere">
        {name} <span className="text-xs text-text-2">by {agent}</span>
      </span>
      <Badge tone={tone} icon={icon} spin={spin ?? false}>
        {words}
      </Badge>
    </span>
  );
  if (messages.length === 0) return <div className="pl-4">{line}</div>;
  return (
    <details>
      <summary className="rounded">{line}</summary>
      {messages.map(({ sender, receiver, markdown }, i) => (
        <p key={i} className="mb-1 ml-10 border-l-2 border-line pl-2 text-xs whitespace-pre-wrap">
          <span className="font-semibold">
            {sender} to {receiver}:
          </span>{' '}
          {markdown}
        </p>
      ))}
    </details>
  );
}
