"""Groups of duplicates the slow way: every record with the first record of every group, by sets of words."""

import re


def words_of(text):
    return re.findall(r"[^\W_]+", text.casefold())


def triples_of(words):
    filled = [*words, "", ""]
    return {tuple(filled[i : i + 3]) for i in range(len(words))}


def numbers_of(words):
    return {word for word in words if any(letter.isdigit() for letter in word)}


def likeness(left, right, threshold):
    """The Jaccard similarity of two (title, text) that are one record, else 0."""
    words = [words_of(title) + words_of(text) for title, text in (left, right)]
    if not words[0] or not words[1]:
        return 0.0
    triples = [triples_of(some) for some in words]
    common = len(triples[0] & triples[1])
    similarity = common / len(triples[0] | triples[1])
    have_text = bool(words_of(left[1])) and bool(words_of(right[1]))
    title = words_of(left[0])
    same_title = title == words_of(right[0]) and len(title) >= 5
    shorter = min(map(len, triples)) - len(title)
    texts = [words_of(left[1]), words_of(right[1])]
    numbers = [numbers_of(some) for some in words]
    subset = numbers[0] <= numbers[1] or numbers[1] <= numbers[0]
    agree = subset if similarity >= 0.9 else numbers[0] == numbers[1]
    alike = (
        words[0] == words[1]
        or (texts[0] == texts[1] and len(texts[0]) >= 20)
        or (have_text and similarity >= threshold and agree)
        or (same_title and not have_text)
        or (same_title and shorter >= 10 and common - len(title) >= 0.9 * shorter and subset)
    )
    return max(similarity, 1e-9) if alike else 0.0


def group_duplicates(records, threshold):
    groups = []
    for i, record in enumerate(records):
        best = (0.0, i)
        for j in range(i):
            if groups[j] == j:
                found = likeness(record, records[j], threshold)
                if found > best[0]:
                    best = (found, j)
        groups.append(best[1])
    return groups
