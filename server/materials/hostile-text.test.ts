import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectFileType } from './file-type.ts';

const nameOf = (text: string): string | undefined => detectFileType(Buffer.from(text))?.name;

test('a kilobyte of empty comments is text, found without backtracking', () => {
  assert.equal(nameOf('<!---->'.repeat(140)), 'text');
  assert.equal(nameOf(`<?xml version="1.0"?>${'<!---->'.repeat(140)}`), 'an XML document');
  assert.equal(nameOf('<!--'.repeat(250)), 'text');
  assert.equal(nameOf(`<?xml ${' '.repeat(1000)}`), 'an XML document');
});

test('comments before a page or an image do not hide it', () => {
  const comments = '<!-- one -->\n<!-- two --> ';
  assert.equal(nameOf(`${comments}<html>`), 'text/html');
  assert.equal(nameOf(`${comments}<svg>`), 'an SVG image');
  assert.equal(nameOf(`<?xml version="1.0"?>\n${comments}<!DOCTYPE svg>`), 'an SVG image');
  assert.equal(nameOf(`${comments}<!-- <html>`), 'text');
});
