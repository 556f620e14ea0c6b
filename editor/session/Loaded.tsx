import type { UseQueryResult } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Spinner } from '../ui/Spinner.tsx';

interface LoadedProps<T> {
  query: UseQueryResult<T>;
  /** `the keys`, for the texts. */
  what: string;
  children(data: T): ReactNode;
}

/** The result of a query; until then a spinner, or the error and a way to try again. */
export function Loaded<T>({ query, what, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) {
    return (
      <EmptyState
        icon={TriangleAlert}
        title={`Loading ${what} has failed`}
        action={<Button onClick={() => void query.refetch()}>Try again</Button>}
      >
        {query.error.message}
      </EmptyState>
    );
  }
  return (
    <div className="m-auto text-text-2">
      <Spinner label={`Loading ${what}`} className="size-6" />
    </div>
  );
}
