import { useQuery } from '@tanstack/react-query';
import { getWait } from '../api/waits.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { DecideForm } from './DecideForm.tsx';
import { Question } from './Question.tsx';
import { endWords } from './wait-labels.ts';

interface DecideDialogProps {
  /** Id of the wait. */
  id: string;
  onClose(): void;
}

/** One question of a run: to decide, or with its decision. */
export function DecideDialog({ id, onClose }: DecideDialogProps) {
  const { data: wait, error } = useQuery({ queryKey: ['wait', id], queryFn: () => getWait(id) });
  if (wait?.status === 'open') return <DecideForm wait={wait} onClose={onClose} />;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={wait?.title ?? 'A question of a run'}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <div className="flex flex-col gap-4">
        {wait && <Question wait={wait} />}
        {wait && <p role="status">{endWords(wait, Date.now())}</p>}
        {!wait && error && <p role="alert">{error.message}</p>}
        {!wait && !error && <Spinner label="Loading the question" />}
      </div>
    </Dialog>
  );
}
