import { Banner } from '../ui/Banner.tsx';
import { Button } from '../ui/Button.tsx';
import { useApp, useServer } from './app-context.tsx';

/** Shown while the server is unreachable; work can continue. */
export function OfflineBanner() {
  const { server } = useApp();
  const isOffline = useServer((state) => state.status === 'offline');
  if (!isOffline) return null;
  return (
    <Banner
      tone="warn"
      actions={
        <Button size="sm" onClick={() => void server.getState().check()}>
          Try now
        </Button>
      }
    >
      The server cannot be reached. Your edits are stored in this browser; they can be saved once it is back.
      Trying again every few seconds.
    </Banner>
  );
}
