# documents.pl json|xml: prints a document with users, always the same.
use strict;
use warnings;

my $state = 1;
sub below {
    $state = ($state * 1103515245 + 12345) % 2147483648;
    return int($state / 65536) % $_[0];
}

if ($ARGV[0] eq 'json') {
    my @users = map {
        my $tags = join ', ', map { '"t' . below(100) . '"' } 1 .. 5;
        my ($street, $city, $score) = (below(1000), below(50), below(32768) / 32768);
        qq({"id": $_, "name": "user $_", "tags": [$tags], "score": $score, )
            . qq("address": {"street": "street $street", "city": "c$city"}, "active": true})
    } 1 .. 20_000;
    print '[', join(', ', @users), "]\n";
} else {
    print "<users>\n";
    for my $id (1 .. 60_000) {
        my $tags = join '', map { '<tag>t' . below(100) . '</tag>' } 1 .. 5;
        my ($street, $city) = (below(1000), below(50));
        print qq(<user id="$id"><name>user $id</name>$tags<address street="$street" city="c$city"/></user>\n);
    }
    print "</users>\n";
}
