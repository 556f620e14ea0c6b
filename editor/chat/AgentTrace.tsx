import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { RunEvent } from '#shared/run-event.ts';
import { getRun, getRunEvents, listRuns } from '../api/runs.ts';
import { Loaded } from '../session/Loaded.tsx';
import { loadEvents } from '../state/run-history.ts';
import { Badge } from '../ui/Badge.tsx';
import { type TracedAgent, tracedAgents, type TracedCall, type TracedRound } from './agent-trace.ts';

/** How often a record without an end is looked at again, and how many times. */
const LOOK_MS = 1_000;
const LOOKS = 20;

const api = { listRuns, getRun, getRunEvents };

/** The work of the agents in the run behind an answer, from its record. */
export function RunAgents({ run }: { run: string }) {
  const events = useQuery({
    queryKey: ['agent-trace', run],
    queryFn: () => loadEvents(api, run, 0),
    // The record is written shortly after the answer.
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      dataUpdateCount < LOOKS && data?.events.at(-1)?.kind !== 'run-finished' && LOOK_MS,
  });
  return (
    <Loaded query={events} what="the run">
      {({ events: all, missing }) => <AgentTrace events={all} isCut={missing !== undefined} />}
    </Loaded>
  );
}

/** The tools, the calls and the texts of each agent. */
function AgentTrace({ events, isCut }: { events: readonly RunEvent[]; isCut: boolean }) {
  const agents = useMemo(() => tracedAgents(events), [events]);
  return (
    <section
      aria-label="Tools"
      className="flex flex-col gap-2 rounded-md border border-line px-3 py-2 text-xs"
    >
      {agents.length === 0 && (
        <p className="text-text-2">
          {isCut
            ? 'Not all of this run was recorded, so nobody knows what its agents did.'
            : 'No agent took part in this answer.'}
        </p>
      )}
      {agents.map((agent) => (
        <Agent key={agent.name} agent={agent} />
      ))}
    </section>
  );
}

function Agent({ agent: { name, rounds, unusable } }: { agent: TracedAgent }) {
  const isQuiet = rounds.every(({ calls }) => calls.length === 0);
  const [first] = rounds;
  return (
    <div className="flex flex-col gap-1.5">
      <h3 className="font-semibold">
        <bdi>{name}</bdi>
      </h3>
      {unusable.map((one) => (
        <p key={one.name} className="wrap-anywhere text-bad">
          {one.name} could not be used: {one.reason}
        </p>
      ))}
      {first && <p>{offeredText(first)}</p>}
      <ol className="flex flex-col gap-1.5">
        {rounds.map((round, i) => (
          <li key={i}>
            <Round round={round} />
          </li>
        ))}
      </ol>
      {isQuiet && first?.offered !== undefined && first.offered.length > 0 && (
        <p className="text-text-2">{whyQuiet(first)}</p>
      )}
    </div>
  );
}

function offeredText({ offered }: TracedRound): string {
  if (offered === undefined) return 'This run does not tell which tools were offered.';
  if (offered.length === 0) return 'No tools were offered to it.';
  return `Tools offered to it: ${offered.join(', ')}.`;
}

function whyQuiet({ model }: TracedRound): string {
  if (model.startsWith('demo/'))
    return 'It called none of them: the demo calls a tool only if the message names it.';
  return 'It called none of them. A model decides by what each tool says of when to use it: say there what questions it answers.';
}

function Round({ round: { model, calls, said, isLast } }: { round: TracedRound }) {
  return (
    <div className="flex flex-col gap-1 border-l-2 border-line pl-2">
      <p className="text-text-2">
        <code>{model}</code>{' '}
        {calls.length === 0
          ? 'answered without a tool'
          : `called ${calls.map(({ tool }) => tool).join(', ')}`}
        {isLast && ': it had called tools so often that it had to answer'}
      </p>
      {said !== '' && <q className="line-clamp-4 wrap-anywhere text-text-2">{said}</q>}
      {calls.map((call, i) => (
        <Call key={i} call={call} />
      ))}
    </div>
  );
}

function Call({ call: { tool, arguments: given, content, failed } }: { call: TracedCall }) {
  return (
    <details>
      <summary className="w-fit rounded">
        <code className="font-medium">{tool}</code> {failed && <Badge tone="bad">failed</Badge>}
      </summary>
      <dl className="mt-1 ml-4 grid grid-cols-[max-content_1fr] gap-x-3 gap-y-1 [&>dt]:text-text-2">
        {given !== undefined && (
          <>
            <dt>Called with</dt>
            <dd className="min-w-0">
              <pre className="max-h-40 overflow-auto font-mono whitespace-pre-wrap wrap-anywhere">
                {JSON.stringify(given, null, 2)}
              </pre>
            </dd>
          </>
        )}
        <dt>Answered</dt>
        <dd className="max-h-40 min-w-0 overflow-auto whitespace-pre-wrap wrap-anywhere">
          {content ?? 'nothing yet'}
        </dd>
      </dl>
    </details>
  );
}
