from __future__ import annotations

import dataclasses
from hashlib import sha256

import pytest
from scripted_store import HANG_UP, PLACE, SECRET, TOKEN, Scripts, answer, refusal

from components.agents.mover.store.model import Head, StoreError
from components.agents.mover.store.s3_client import ATTEMPTS, S3Store

LIKE = Head(size=0, etag="", headers=(("content-type", "text/x"),), metadata=(("farbe", "grün"),))


def read(store: S3Store, key: str, etag: str = "") -> bytes:
    body, room, found = store.open(key, etag=etag), memoryview(bytearray(3)), b""
    while count := body.read_into(room):
        found += bytes(room[:count])
    body.close()
    return found


def put(store: S3Store, content: bytes = b"content") -> Head:
    return store.put("a b", memoryview(content), sha256=sha256(content).hexdigest(), like=LIKE, tags=(("t", "1"),))


def test_an_object_is_put_with_all_it_has(scripted: Scripts) -> None:
    store, script = scripted(answer(ETag='"e"', x_amz_version_id="v"))
    head = put(store)
    asked = script.asked[0]
    assert (head.etag, head.version, head.size) == ("e", "v", 7)
    assert asked.line == "PUT /bucket/a%20b HTTP/1.1"
    assert asked.body == b"content"
    assert asked.headers["host"] == "store.example:9000"
    assert asked.headers["x-amz-content-sha256"] == sha256(b"content").hexdigest()
    assert asked.headers["x-amz-meta-farbe"] == "=?UTF-8?B?Z3LDvG4=?="
    assert asked.headers["x-amz-tagging"] == "t=1"
    assert asked.headers["x-amz-security-token"] == TOKEN
    assert "x-amz-security-token" in asked.headers["authorization"]
    assert SECRET not in str(asked)


def test_a_bucket_can_stand_in_the_hosts_name(scripted: Scripts) -> None:
    place = dataclasses.replace(PLACE, path_style=False)
    store, script = scripted(answer(ETag='"e"'), place=place)
    store.head("k")
    assert script.asked[0].line == "HEAD /k HTTP/1.1"
    assert script.asked[0].headers["host"] == "bucket.store.example:9000"
    assert script.hosts == [("bucket.store.example", 9000)]


def test_one_connection_serves_many_requests(scripted: Scripts) -> None:
    store, script = scripted(answer(body=b"one", ETag='"1"'), answer(), answer(body=b"three", ETag='"3"'))
    assert read(store, "a", etag="1") == b"one"
    put(store)
    assert read(store, "b") == b"three"
    assert len(script.hosts) == 1
    assert script.asked[0].headers["if-match"] == '"1"'


@pytest.mark.parametrize(
    "first",
    [
        refusal(503, "SlowDown"),
        refusal(429, "Throttling"),
        refusal(500, "InternalError"),
        refusal(400, "RequestTimeout"),
        answer(502, b"<html>a proxy</html>"),
        HANG_UP,
        b"SSH-2.0-not HTTP\r\n\r\n",
    ],
)
def test_what_passes_is_asked_again_and_signed_again(scripted: Scripts, first: bytes) -> None:
    store, script = scripted(first, answer(ETag='"e"'))
    assert put(store).etag == "e"
    assert [each.body for each in script.asked] == [b"content", b"content"]
    assert len(script.waited) == 1


def test_it_does_not_ask_for_ever_and_waits_longer_each_time(scripted: Scripts) -> None:
    store, script = scripted(*[refusal(503, "SlowDown", "Please reduce your request rate")] * ATTEMPTS)
    with pytest.raises(StoreError, match=r"PUT of bucket/a b at http://store\.example:9000: SlowDown \(503\)") as error:
        put(store)
    assert (error.value.code, error.value.status) == ("SlowDown", 503)
    assert len(script.asked) == ATTEMPTS
    assert script.waited[-1] > script.waited[0]


def test_a_store_that_is_not_there_is_named(scripted: Scripts) -> None:
    store, _ = scripted()
    with pytest.raises(
        StoreError, match=r"HEAD of bucket/k at http://store\.example:9000: Connection refused"
    ) as error:
        store.head("k")
    assert (error.value.code, error.value.status) == ("", 0)


@pytest.mark.parametrize(
    ("status", "code", "hint"),
    [
        (400, "ExpiredToken", "the temporary keys ran out"),
        (403, "RequestTimeTooSkewed", "clocks of this machine and of the store"),
        (403, "AccessDenied", "look at the user's policy"),
        (403, "SignatureDoesNotMatch", "the secret key is not the one"),
        (404, "NoSuchBucket", "there is no such bucket"),
        (507, "XMinioStorageFull", "make room and run it again"),
        (400, "EntityTooLarge", "no upload of this size"),
        (301, "PermanentRedirect", "at another endpoint or in another region"),
    ],
)
def test_a_refusal_says_what_to_do_and_is_not_asked_again(scripted: Scripts, status: int, code: str, hint: str) -> None:
    store, script = scripted(refusal(status, code, "The store's words."))
    with pytest.raises(StoreError, match=hint) as error:
        put(store)
    assert error.value.code == code
    assert "bucket/a b" in str(error.value)
    assert "The store's words;" in str(error.value)
    assert len(script.asked) == 1


def test_a_message_never_holds_a_secret(scripted: Scripts) -> None:
    store, _ = scripted(refusal(400, "InvalidToken", f"bad token {TOKEN} for {SECRET}"))
    with pytest.raises(StoreError) as error:
        put(store)
    assert "bad token *** for ***" in str(error.value)
    assert not {SECRET, TOKEN} & set(str(error.value).split())
    assert SECRET not in repr(store.place)
    assert TOKEN not in repr(store.place)


def test_a_refusal_without_a_body_is_told_by_its_status(scripted: Scripts) -> None:
    store, _ = scripted(b"HTTP/1.1 404 Not Found\r\ncontent-length: 300\r\n\r\n")
    with pytest.raises(StoreError) as error:
        store.head("k")
    assert (error.value.code, error.value.status) == ("NoSuchKey", 404)


def test_an_odd_key_stays_on_one_line_of_the_message(scripted: Scripts) -> None:
    store, _ = scripted(answer(404))
    with pytest.raises(StoreError, match=r"a\\nb") as error:
        store.head("a\nb" + "x" * 1000)
    assert "\n" not in str(error.value)
    assert "(1003 characters)" in str(error.value)


def test_a_body_that_breaks_goes_on_where_it_broke(scripted: Scripts) -> None:
    whole = answer(body=b"0123456789", ETag='"e"')
    rest = answer(206, b"456789", ETag='"e"', Content_Range="bytes 4-9/10")
    store, script = scripted(whole[:-6].replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"), rest)
    assert read(store, "k") == b"0123456789"
    assert script.asked[1].headers["range"] == "bytes=4-"
    assert script.asked[1].headers["if-match"] == '"e"'


def test_a_body_that_breaks_is_not_mixed_with_a_newer_object(scripted: Scripts) -> None:
    whole = answer(body=b"0123456789", ETag='"e"')
    cut = whole[:-6].replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n")
    store, _ = scripted(cut, refusal(412, "PreconditionFailed"))
    with pytest.raises(StoreError) as error:
        read(store, "k")
    assert error.value.status == 412


def test_chunks_are_put_together(scripted: Scripts) -> None:
    chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4;x=y\r\nwiki\r\n5\r\npedia\r\n0\r\na: b\r\n\r\n"
    store, script = scripted(chunked, answer(body=b"next"))
    assert read(store, "k") == b"wikipedia"
    assert read(store, "k") == b"next"
    assert len(script.hosts) == 1


def test_a_body_without_a_length_ends_with_the_connection(scripted: Scripts) -> None:
    store, script = scripted(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nall of it", answer(body=b"next"))
    assert read(store, "k") == b"all of it"
    assert read(store, "k") == b"next"
    assert len(script.hosts) == 2


def test_a_body_that_nobody_reads_to_its_end_costs_the_connection(scripted: Scripts) -> None:
    store, script = scripted(answer(body=b"0123456789"), answer(body=b"next"))
    store.open("k").close()
    assert read(store, "k") == b"next"
    assert len(script.hosts) == 2


def listing(keys: str, more: str = "") -> bytes:
    text = "".join(
        f"<Contents><Key>{key}</Key><Size>3</Size><ETag>&#34;e&#34;</ETag>"
        "<LastModified>2026-11-22T08:00:00.000Z</LastModified></Contents>"
        for key in keys.split()
    )
    tail = (
        f"<IsTruncated>{'true' if more else 'false'}</IsTruncated><NextContinuationToken>{more}</NextContinuationToken>"
    )
    return answer(
        body=f'<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType>{text}{tail}'
        "</ListBucketResult>".encode()
    )


def test_a_listing_goes_over_its_pages_and_decodes_keys(scripted: Scripts) -> None:
    store, script = scripted(listing("a+b a%2Bb %C3%BC", more="to/ken="), listing("%01z"))
    found = list(store.list_objects(prefix="p q", after="x"))
    assert [each.key for each in found] == ["a b", "a+b", "ü", "\x01z"]
    assert (found[0].size, found[0].etag, found[0].modified) == (3, "e", 1795334400.0)
    assert script.asked[0].line.split()[1] == "/bucket/?encoding-type=url&list-type=2&prefix=p%20q&start-after=x"
    assert "continuation-token=to%2Fken%3D" in script.asked[1].line


def test_versions_are_listed_with_their_markers(scripted: Scripts) -> None:
    first = (
        b"<ListVersionsResult><IsTruncated>true</IsTruncated><NextKeyMarker>a</NextKeyMarker>"
        b"<NextVersionIdMarker>2</NextVersionIdMarker>"
        b"<DeleteMarker><Key>a</Key><VersionId>2</VersionId><IsLatest>true</IsLatest></DeleteMarker>"
        b"</ListVersionsResult>"
    )
    second = (
        b"<ListVersionsResult><IsTruncated>false</IsTruncated>"
        b"<Version><Key>a</Key><VersionId>1</VersionId><IsLatest>false</IsLatest><Size>5</Size></Version>"
        b"</ListVersionsResult>"
    )
    store, script = scripted(answer(body=first), answer(body=second))
    found = [(each.version, each.deleted, each.latest, each.size) for each in store.list_versions()]
    assert found == [("2", True, True, 0), ("1", False, False, 5)]
    assert "key-marker=a" in script.asked[1].line
    assert "version-id-marker=2" in script.asked[1].line


def test_parts_are_put_together(scripted: Scripts) -> None:
    store, script = scripted(
        answer(body=b"<R><UploadId>u&amp;1</UploadId></R>"),
        answer(ETag='"p1"'),
        answer(body=b"<R><ETag>&quot;whole-1&quot;</ETag></R>", x_amz_version_id="v"),
    )
    upload = store.create_upload("k", like=LIKE)
    part = store.upload_part("k", upload, 1, memoryview(b"abc"), sha256=sha256(b"abc").hexdigest())
    head = store.complete_upload("k", upload, [part])
    assert (upload, part, head.etag, head.version) == ("u&1", "p1", "whole-1", "v")
    assert script.asked[1].line == "PUT /bucket/k?partNumber=1&uploadId=u%261 HTTP/1.1"
    assert b"<PartNumber>1</PartNumber><ETag>&quot;p1&quot;</ETag>" in script.asked[2].body


def test_an_error_under_a_good_status_is_an_error(scripted: Scripts) -> None:
    store, _ = scripted(answer(body=b"<Error><Code>InternalError</Code><Message>We failed</Message></Error>"))
    with pytest.raises(StoreError, match="InternalError"):
        store.complete_upload("k", "u", ["p1"])


def test_parts_that_were_put_together_before_the_answer_was_lost_are_found(scripted: Scripts) -> None:
    store, _ = scripted(HANG_UP, refusal(404, "NoSuchUpload"), answer(ETag='"whole-2"', Content_Type="a/b"))
    assert store.complete_upload("k", "u", ["p1", "p2"]).etag == "whole-2"
    assert store.lost == 1


def test_an_upload_that_is_gone_for_another_reason_is_an_error(scripted: Scripts) -> None:
    store, _ = scripted(refusal(404, "NoSuchUpload"))
    with pytest.raises(StoreError, match="NoSuchUpload"):
        store.complete_upload("k", "u", ["p1"])


def test_only_the_uploads_of_exactly_this_key_are_told(scripted: Scripts) -> None:
    ours = b"<Upload><Key>k</Key><UploadId>1</UploadId></Upload>"
    body = b"<R>" + ours + ours.replace(b">k<", b">k2<").replace(b">1<", b">2<") + b"</R>"
    store, _ = scripted(answer(body=body))
    assert store.list_uploads("k") == ("1",)


@pytest.mark.parametrize("code", ["NotImplemented", "MethodNotAllowed"])
def test_a_store_without_tags_has_none(scripted: Scripts, code: str) -> None:
    store, _ = scripted(refusal(501, code))
    assert store.get_tags("k") == ()


class TestGoogle:
    """Its XML interface with interoperability keys: https://cloud.google.com/storage/docs/aws-simple-migration."""

    place = dataclasses.replace(PLACE, endpoint="http://storage.googleapis.com", session_token="")

    def test_what_was_stored_packed_is_read_packed(self, scripted: Scripts) -> None:
        store, script = scripted(answer(body=b"packed", ETag='"1"', x_goog_meta_owner="me"), place=self.place)
        assert read(store, "k") == b"packed"
        assert script.asked[0].headers["accept-encoding"] == "gzip"
        assert script.asked[0].headers["host"] == "storage.googleapis.com"

    def test_tags_are_neither_asked_nor_sent(self, scripted: Scripts) -> None:
        store, script = scripted(answer(ETag='"1"'), place=self.place)
        assert store.get_tags("k") == ()
        put(store)
        assert "x-amz-tagging" not in script.asked[0].headers
        assert len(script.asked) == 1

    def test_older_versions_are_refused_and_not_lost(self, scripted: Scripts) -> None:
        store, _ = scripted(place=self.place)
        with pytest.raises(StoreError, match="older versions are not read from Google's store"):
            list(store.list_versions())


def test_a_file_that_is_no_authority_is_named_at_once(scripted: Scripts) -> None:
    place = dataclasses.replace(PLACE, endpoint="https://store.example", authority="/not/there.crt")
    store, script = scripted(answer(), place=place)
    with pytest.raises(StoreError, match=r"/not/there\.crt is no file of a certificate authority: No such file"):
        store.head("k")
    assert script.waited == []
