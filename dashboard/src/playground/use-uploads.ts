/** Files on their way to become materials: how far each has come, and what became of it. */
import type { Upload } from '@vidgen/contract/playground.ts';
import { useEffect, useRef, useState } from 'react';
import { sendFile } from '../api/send-file.ts';
import type { MaterialList } from './generation-form.ts';

export type RunningUpload = {
  readonly id: number;
  readonly name: string;
  readonly list: MaterialList;
  readonly share: number;
  /** Why it did not arrive; null while it still may. */
  readonly error: string | null;
};

/** By address: what the file was called, as long as the page is open. */
export type UploadNames = ReadonlyMap<string, string>;

export function listOfFile({ type }: Pick<File, 'type'>): MaterialList | null {
  if (type.startsWith('image/')) return 'images';
  if (type.startsWith('video/')) return 'videos';
  return type.startsWith('audio/') ? 'audios' : null;
}

const kinds = { image: 'images', video: 'videos', audio: 'audios' } as const;
let lastId = 0;

export function useUploads(
  account: string,
  onUploaded: (list: MaterialList, url: string) => void,
): {
  readonly running: readonly RunningUpload[];
  readonly names: UploadNames;
  start(files: readonly File[]): void;
  dismiss(id: number): void;
} {
  const [running, setRunning] = useState<readonly RunningUpload[]>([]);
  const [names, setNames] = useState<UploadNames>(new Map());
  const stops = useRef(new Map<number, AbortController>());
  const arrived = useRef(onUploaded);
  arrived.current = onUploaded;
  useEffect(() => {
    const { current } = stops;
    return () => {
      for (const stop of current.values()) stop.abort();
    };
  }, []);

  const update = (id: number, change: Partial<RunningUpload>) =>
    setRunning((all) => all.map((one) => (one.id === id ? { ...one, ...change } : one)));
  const dismiss = (id: number) => {
    stops.current.get(id)?.abort();
    stops.current.delete(id);
    setRunning((all) => all.filter((one) => one.id !== id));
  };
  const startOne = async (file: File) => {
    lastId += 1;
    const id = lastId;
    const stop = new AbortController();
    stops.current.set(id, stop);
    const list = listOfFile(file) ?? 'images';
    setRunning((all) => [...all, { id, name: file.name, list, share: 0, error: null }]);
    try {
      const { url, kind } = await sendFile<Upload>(`/admin/accounts/${account}/uploads`, file, {
        signal: stop.signal,
        onProgress: (share) => update(id, { share }),
      });
      setNames((known) => new Map(known).set(url, file.name));
      arrived.current(kinds[kind], url);
      dismiss(id);
    } catch (error) {
      update(id, { error: (error as Error).message });
    }
  };
  return {
    running,
    names,
    start: (files) => {
      for (const file of files) void startOne(file);
    },
    dismiss,
  };
}
