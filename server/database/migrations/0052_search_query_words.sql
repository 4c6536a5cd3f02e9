-- Every word of the text, each as the beginning of a word. Each beginning reads all words that have
-- it, so a text of more than eight words, such as a prompt that was pasted, is matched by whole
-- words: 60 short beginnings took seconds with a million tasks. Matches nothing without any word.
create or replace function search_query(content text) returns tsquery
  language sql immutable parallel safe
  return (select coalesce(string_agg(
      quote_literal(word) || case when cardinality(words) > 8 then '' else ':*' end, ' & '),
      '')::tsquery
    from (select tsvector_to_array(search_words(content)) as words) as found,
      unnest(words) as word);
