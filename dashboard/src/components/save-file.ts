/** Saves a file that was made in the browser, as a download. */

/** The browser reads the file after the click, so its URL stays valid for a while. */
const urlMs = 60_000;

export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), urlMs);
}
