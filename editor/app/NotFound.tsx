import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { EmptyState } from '../ui/EmptyState.tsx';

export function NotFound() {
  return (
    <main className="flex min-h-0 flex-1">
      <EmptyState
        isPage
        icon={Compass}
        title="There is no such page"
        action={
          <Link to="/" className="font-medium text-accent underline">
            All flows
          </Link>
        }
      >
        The address <code className="break-all">{location.pathname}</code> leads nowhere.
      </EmptyState>
    </main>
  );
}
