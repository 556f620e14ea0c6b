import { useStore } from 'zustand';
import { Banner } from '../ui/Banner.tsx';
import { useApp, useServer } from '../session/app-context.tsx';
import { unread } from '../api/unread.ts';
import { Button } from '../ui/Button.tsx';
import { countText } from '../ui/format.ts';

/** Messages of the server about itself, above every view. */
export function ServerBanners() {
  const lost = useServer((state) => state.session?.lost) ?? [];
  const elsewhere = useServer((state) => state.session?.schedulesElsewhere);
  return (
    <>
      {lost.length > 0 && <Banner tone="bad">This server has lost data. {lost.join(' ')}</Banner>}
      {elsewhere !== undefined && <Banner tone="warn">{elsewhere}</Banner>}
    </>
  );
}

const SHOWN = 3;

/** Shown while answers of the server have records that this editor cannot read; all other records are available. */
export function UnreadBanner() {
  const names = [...new Set(Object.values(useStore(unread)).flat())];
  if (names.length === 0) return null;
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  return (
    <Banner
      tone="warn"
      actions={
        <Button size="sm" onClick={() => location.reload()}>
          Reload
        </Button>
      }
    >
      {countText(names.length, 'record')} from the server cannot be read and{' '}
      {names.length === 1 ? 'is' : 'are'} left out: {names.slice(0, SHOWN).join(', ')}
      {more}. Reload the page; if this stays, server and editor are of different versions.
    </Banner>
  );
}

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
