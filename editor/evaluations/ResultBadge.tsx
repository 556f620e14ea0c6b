import { CircleCheck, CircleX, LoaderCircle, OctagonX } from 'lucide-react';
import type { EvaluationSummary } from '#shared/evaluation.ts';
import { Badge } from '../ui/Badge.tsx';

/** How a result ended, or how far it is. */
export function ResultBadge({ result }: { result: EvaluationSummary }) {
  const { status, done, cases, failed, passed } = result;
  if (status === 'running')
    return (
      <Badge tone="busy" icon={LoaderCircle} spin>
        {done} of {cases}
      </Badge>
    );
  if (status === 'stopped')
    return (
      <Badge tone="neutral" icon={OctagonX}>
        stopped at {done} of {cases}
      </Badge>
    );
  if (passed !== null)
    return (
      <Badge tone={passed ? 'ok' : 'bad'} icon={passed ? CircleCheck : CircleX}>
        {passed ? 'passed' : 'below the threshold'}
      </Badge>
    );
  return failed > 0 ? (
    <Badge tone="bad" icon={CircleX}>
      {failed} failed
    </Badge>
  ) : (
    <Badge tone="ok" icon={CircleCheck}>
      done
    </Badge>
  );
}
