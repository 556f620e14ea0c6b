import { FlaskConical, History, Wand } from 'lucide-react';
import { getRunEvents } from '../api/runs.ts';
import { useRuns, useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { agoText, clockText } from '../ui/format.ts';
import { Menu } from '../ui/Menu.tsx';
import { SOURCE_LABELS } from './run-labels.ts';

/** Calls that are offered. */
const MOST = 6;

interface FillMenuProps {
  trigger: string;
  example(): unknown;
  onFill(input: unknown): void;
}

/** Fills in the form: with an example of the request, or with what an earlier run got. */
export function FillMenu({ trigger, example, onFill }: FillMenuProps) {
  const { actions } = useSession();
  const recent = useRuns((state) => state.recent);
  const calls = recent.filter((row) => row.trigger === trigger && row.recorded).slice(0, MOST);
  const fillFrom = async (run: string): Promise<void> => {
    try {
      const { events } = await getRunEvents(run);
      const start = events.find((event) => event.kind === 'run-started');
      if (start && 'input' in start) onFill(start.input);
      else actions.toast('The input of this run was not recorded.', 'error');
    } catch (error) {
      actions.toast((error as Error).message, 'error');
    }
  };
  return (
    <Menu
      align="start"
      trigger={
        <Button size="sm" icon={Wand}>
          Fill in
        </Button>
      }
      entries={[
        { id: 'example', label: 'An example', icon: FlaskConical, onSelect: () => onFill(example()) },
        ...(calls.length > 0 ? [{ id: 'calls', heading: 'The input of an earlier run' }] : []),
        ...calls.map(({ run, startedAt, source }) => ({
          id: run,
          label: `${clockText(startedAt).slice(0, 8)}, ${agoText(startedAt)}${source === undefined ? '' : `, ${SOURCE_LABELS[source]}`}`,
          icon: History,
          onSelect: () => void fillFrom(run),
        })),
      ]}
    />
  );
}
