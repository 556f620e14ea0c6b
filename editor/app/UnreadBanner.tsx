import { useStore } from 'zustand';
import { unread } from '../api/unread.ts';
import { Banner } from '../ui/Banner.tsx';
import { Button } from '../ui/Button.tsx';
import { countText } from '../ui/format.ts';

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
