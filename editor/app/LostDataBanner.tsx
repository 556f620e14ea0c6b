import { Banner } from '../ui/Banner.tsx';
import { useServer } from '../session/app-context.tsx';

/** Shown while stores of the server's data folder are missing: nobody here deleted their contents. */
export function LostDataBanner() {
  const lost = useServer((state) => state.session?.lost);
  if (lost === undefined || lost.length === 0) return null;
  return <Banner tone="bad">Data of this server are lost. {lost.join(' ')}</Banner>;
}
