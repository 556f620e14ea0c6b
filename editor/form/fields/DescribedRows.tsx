import { useSyncExternalStore } from 'react';
import type { Path } from '#engine/check';
import { useForm } from '../form-context.tsx';

/** The columns of the rows that a statement gives, or why they are not known. */
export function DescribedRows({ path }: { path: Path }) {
  const form = useForm();
  const described = useSyncExternalStore(form.subscribe, () => form.describedAt?.(path));
  if (described?.is === 'unknown')
    return (
      <p className="mt-1 text-xs text-text-2" role="status">
        The types of the rows are unknown. {described.message}
      </p>
    );
  // What it refuses is a problem of the field.
  if (described?.is !== 'rows') return null;
  const { columns } = described;
  return (
    <details className="mt-1 rounded-md border border-line text-xs">
      <summary className="min-h-6 cursor-pointer px-2 py-1 font-medium">
        Columns of the rows ({columns.length})
      </summary>
      <div
        role="region"
        aria-label="Columns of the rows"
        className="max-h-60 overflow-y-auto px-2 pb-2"
        tabIndex={0}
      >
        <ul>
          {columns.map(({ name, type, nullable }, i) => (
            <li key={i} className="flex flex-wrap gap-x-2 py-px">
              <span className="font-mono break-all">{name}</span>
              <span className="text-text-2">
                {type}
                {nullable ? ', may be null' : ', never null'}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}
