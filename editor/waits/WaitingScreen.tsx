import { useNavigate, useSearch } from '@tanstack/react-router';
import { Hourglass } from 'lucide-react';
import { useState } from 'react';
import type { WaitStatus } from '#shared/wait.ts';
import { ListScreen } from '../lists/ListScreen.tsx';
import { useFlowNames } from '../session/use-flow-names.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.tsx';
import { DecideDialog } from './DecideDialog.tsx';
import { waitList } from './wait-list.tsx';

const STATUSES = [
  { value: 'open', label: 'Open' },
  { value: 'decided', label: 'Decided' },
  { value: 'expired', label: 'Expired' },
  { value: 'void', label: 'Run over' },
] as const satisfies readonly { value: WaitStatus; label: string }[];
type Shown = (typeof STATUSES)[number]['value'];

/** Questions of runs to people: open ones, oldest first, and how others ended, newest first. The address names the one to decide. */
export function WaitingScreen() {
  const { wait } = useSearch({ from: '/waiting' });
  const navigate = useNavigate();
  const nameOf = useFlowNames();
  const [status, setStatus] = useState<Shown>('open');
  const open = (id?: string): void => {
    void navigate({ to: '/waiting', search: id === undefined ? {} : { wait: id } });
  };
  return (
    <>
      <ListScreen
        key={status}
        list={waitList({ status, nameOf, onDecide: ({ id }) => open(id) })}
        empty={status === 'open' ? <NothingWaits /> : <NothingEnded />}
      >
        <div>
          <SegmentedControl label="Status" value={status} onValueChange={setStatus} options={STATUSES} />
        </div>
      </ListScreen>
      {wait !== undefined && <DecideDialog key={wait} id={wait} onClose={() => open()} />}
    </>
  );
}

function NothingWaits() {
  return (
    <EmptyState
      icon={Hourglass}
      title="Nothing waits for a decision"
      steps={[
        'Put “Ask for approval” or “Ask for data” into a flow.',
        'Run the flow: it waits there, and its question is listed here.',
        'Decide here, by a link that the flow has sent, or over the API.',
      ]}
    >
      A flow asks with the nodes “Ask for approval” and “Ask for data”. Its run waits, even over restarts,
      until somebody decides: here, by a link, or over the API.
    </EmptyState>
  );
}

function NothingEnded() {
  return (
    <EmptyState icon={Hourglass} title="No such questions">
      Questions stay here for as long as their runs are kept.
    </EmptyState>
  );
}
