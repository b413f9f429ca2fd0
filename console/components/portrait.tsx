import { useEffect, useState } from 'preact/hooks';
import { Initials } from './list-row.tsx';

/** The picture of an assistant or institution; its initials where there is none, or where it cannot be loaded. */
export function Portrait({ name, url }: { readonly name: string; readonly url: string }) {
  const [isBroken, setBroken] = useState(false);
  useEffect(() => setBroken(false), [url]);
  if (isBroken || !/^(?:https?:\/\/|data:image\/)./.test(url)) return <Initials name={name} />;
  return (
    <img class="portrait" src={url} alt="" referrerpolicy="no-referrer" onError={() => setBroken(true)} />
  );
}
