import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Hourglass } from 'lucide-react';
import { listWaits } from '../api/waits.ts';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { DecideDialog } from './DecideDialog.tsx';
import { WaitTable } from './WaitTable.tsx';

const LOOK_MS = 5000;

/** The waits of runs: questions to people, the oldest first. The address names the one to decide. */
export function WaitingScreen() {
  const query = useQuery({ queryKey: ['waits'], queryFn: listWaits, refetchInterval: LOOK_MS });
  const { wait } = useSearch({ from: '/waiting' });
  const navigate = useNavigate();
  const open = (id?: string): void => {
    void navigate({ to: '/waiting', search: id === undefined ? {} : { wait: id } });
  };
  return (
    <HomePage title="Waiting" count={query.data && countText(query.data.waits.length, 'question')}>
      <Loaded query={query} what="what waits">
        {({ waits }) =>
          waits.length > 0 ? <WaitTable waits={waits} onDecide={({ id }) => open(id)} /> : <NothingWaits />
        }
      </Loaded>
      {wait !== undefined && <DecideDialog key={wait} id={wait} onClose={() => open()} />}
    </HomePage>
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
