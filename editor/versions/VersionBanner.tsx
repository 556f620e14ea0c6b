import { useRuns, useSession } from '../session/session.tsx';
import { versionOf } from '../state/drawn.ts';
import { Banner } from '../ui/Banner.tsx';
import { Button } from '../ui/Button.tsx';
import { countText } from '../ui/format.ts';
import { leaveVersion } from './show-version.ts';
import { useVersions, versionName } from './use-versions.ts';

/** Says which version the canvas shows, and links back. */
export function VersionBanner() {
  const session = useSession();
  const version = useRuns(versionOf);
  const { data: all = [] } = useVersions();
  if (!version) return null;
  const { from, to, changes } = version;
  return (
    <Banner
      tone="busy"
      actions={
        <Button size="sm" onClick={() => leaveVersion(session)}>
          Back to the current flow
        </Button>
      }
    >
      {from === undefined ? (
        <>
          <strong className="font-semibold">Version {versionName(to, all)}</strong> is shown. It is read-only.
        </>
      ) : (
        <>
          <strong className="font-semibold">
            {changes.length === 0 ? 'No difference' : countText(changes.length, 'change')}
          </strong>{' '}
          from {versionName(from, all)} to {versionName(to, all)}. Removed parts are drawn too.
        </>
      )}
    </Banner>
  );
}
