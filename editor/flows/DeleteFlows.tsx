import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { FlowSummary, FlowUse } from '#shared/api.ts';
import type { EvaluationInfo } from '#shared/evaluation.ts';
import { listEvaluations } from '../api/evaluations.ts';
import { getUse } from '../api/flow-list.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { countText } from '../ui/format.ts';
import { Spinner } from '../ui/Spinner.tsx';
import { toast } from '../ui/toast.ts';
import { eachFlow } from './each-flow.ts';
import { removeFlow } from './flow-actions.ts';
import { useAttempt } from './use-attempt.ts';

interface DeleteFlowsProps {
  flows: readonly FlowSummary[];
  onClose(): void;
}

/** Asks before flows are deleted, and says what stops with them and who uses them. */
export function DeleteFlows({ flows, onClose }: DeleteFlowsProps) {
  const queries = useQueryClient();
  const attempt = useAttempt();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const users = useUsers(flows);
  const mine = flows.filter(({ readOnly }) => !readOnly);
  const [first] = mine;
  const what = mine.length === 1 && first ? `“${first.name ?? first.id}”` : countText(mine.length, 'flow');

  const remove = async (): Promise<void> => {
    setBusy(true);
    const undo: (() => Promise<void>)[] = [];
    const refused = await eachFlow(mine, async ({ id, revision }) => {
      undo.push(await removeFlow(id, revision));
    });
    await queries.invalidateQueries({ queryKey: ['flows'] });
    setBusy(false);
    if (undo.length > 0) {
      const done =
        undo.length === 1 && mine.length === 1 ? `${what} was` : `${countText(undo.length, 'flow')} were`;
      toast(`${done} deleted.`, {
        action: {
          label: 'Undo',
          run: () =>
            void attempt(async () => {
              for (const bringBack of undo) await bringBack();
            }),
        },
      });
    }
    if (refused.length === 0) onClose();
    else setError(refused.map(({ name, reasons }) => `${name}: ${reasons.join(' ')}`).join(' '));
  };

  return (
    <ConfirmDialog
      title={`Delete ${what}?`}
      description={<Ends flows={mine} />}
      action="Delete"
      busy={busy}
      error={error}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <section aria-label="Used by" className="mt-2 rounded-md border border-line p-3">
        <h3 className="text-xs font-medium text-text-2">Used by</h3>
        {users.isPending && <Spinner label="Looking for who uses it" />}
        {users.isError && <p className="text-bad">Who uses it could not be found: {users.error.message}</p>}
        {users.data && <Users users={users.data} />}
      </section>
    </ConfirmDialog>
  );
}

/** What callers notice, and where deleted flows are. */
function Ends({ flows }: { flows: readonly FlowSummary[] }) {
  const addresses = flows
    .filter(({ version }) => version !== undefined)
    .flatMap(({ triggers }) => triggers.flatMap(({ path }) => path ?? []));
  return (
    <>
      {addresses.length > 0 && (
        <>
          <span className="font-mono text-xs break-all">{addresses.slice(0, 5).join(', ')}</span>
          {addresses.length > 5 && ` and ${addresses.length - 5} more`} will no longer answer.{' '}
        </>
      )}
      Runs that have ended stay in the history. The files go to the folder <code>trash</code> of the server.
    </>
  );
}

interface Used {
  readonly flows: FlowUse['flows'];
  readonly apps: FlowUse['apps'];
  readonly evaluations: readonly string[];
}

/** Who uses any of the flows and is not deleted with it. */
function useUsers(flows: readonly FlowSummary[]) {
  const ids = flows.map(({ id }) => id);
  return useQuery({
    queryKey: ['flow-use', ...ids],
    gcTime: 0,
    queryFn: async (): Promise<Used> => {
      const [evaluations, ...uses] = await Promise.all([listEvaluations(), ...ids.map(getUse)]);
      return {
        flows: unique(
          uses.flatMap((use) => use.flows).filter(({ id }) => !ids.includes(id)),
          ({ id }) => id,
        ),
        apps: unique(
          uses.flatMap((use) => use.apps),
          ({ code }) => code,
        ),
        evaluations: evaluations.filter((one) => isAbout(one, ids)).map(({ id }) => id),
      };
    },
  });
}

const isAbout = ({ set }: EvaluationInfo, ids: readonly string[]): boolean =>
  set !== null && 'flow' in set.target && ids.includes(set.target.flow);

const unique = <T,>(all: readonly T[], keyOf: (one: T) => string): T[] => [
  ...new Map(all.map((one) => [keyOf(one), one])).values(),
];

const link = 'text-accent hover:underline';

function Users({ users: { flows, apps, evaluations } }: { users: Used }) {
  if (flows.length + apps.length + evaluations.length === 0)
    return <p>No flow, app or evaluation uses it.</p>;
  return (
    <ul className="mt-1 flex flex-col gap-1">
      {flows.map(({ id, name, as }) => (
        <li key={id}>
          <Link to="/flows/$id" params={{ id }} className={link}>
            <bdi>{name ?? id}</bdi>
          </Link>{' '}
          {as === 'call' ? 'calls it, and fails without it.' : 'starts it when a run has failed.'}
        </li>
      ))}
      {apps.map(({ code, name }) => (
        <li key={code}>
          The app{' '}
          <Link to="/apps/$code" params={{ code }} className={link}>
            <bdi>{name}</bdi>
          </Link>{' '}
          answers with it.
        </li>
      ))}
      {evaluations.map((set) => (
        <li key={set}>
          The evaluation{' '}
          <Link to="/evaluations/$set" params={{ set }} className={link}>
            {set}
          </Link>{' '}
          scores it.
        </li>
      ))}
    </ul>
  );
}
