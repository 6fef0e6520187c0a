# Counts, sorts, rewrites and indexes invented words in threads and children, without randomness.
use strict;
use warnings;
use threads;
use Digest::SHA qw(sha256_hex);

sub words {
    my ($state, $count) = @_;
    my @syllables = qw(ar be co du el fi go ha in ju ka lo);
    my @words;
    for (1 .. $count) {
        my $word = '';
        for (0 .. $state % 4) {
            $state = ($state * 1103515245 + 12345) % 2147483648;
            $word .= $syllables[($state >> 8) % @syllables];
        }
        push @words, $word;
    }
    return @words;
}

sub digest_of {
    my ($seed) = @_;
    my (%count, %index);
    my @words = words($seed, 40000);
    $count{$_}++ for @words;
    push @{$index{length $words[$_]}{substr $words[$_], 0, 2}}, $_ for 0 .. $#words;
    my @by_count = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
    my $text = join ' ', map { "$_=$count{$_}" } @by_count;
    $text =~ s/(\w+)=(\d+)/sprintf '%s:%x', scalar reverse($1), $2/ge;
    my $vowels = () = $text =~ /[aeiou]/g;
    my @makers = map { my $n = $_; sub { $n + shift } } 1 .. 2000;
    my $sum = 0;
    $sum += $_->($vowels) for @makers;
    my $cells = 0;
    for my $by_start (values %index) { $cells += @$_ for values %$by_start }
    return sprintf '%s vowels=%d sum=%d cells=%d', sha256_hex($text), $vowels, $sum, $cells;
}

print "main $_ ", digest_of($_), "\n" for 1 .. 2;
my @threads = map { my $seed = $_; threads->create(sub { digest_of($seed) }) } 3 .. 6;
print "thread ", $_->join, "\n" for @threads;
for my $seed (7 .. 8) {
    my $child = open(my $from, '-|') // die "fork: $!";
    if ($child == 0) { print digest_of($seed); exit 0 }
    local $/;
    print "child ", scalar(<$from>), "\n";
    close $from or die "the child failed: $?";
}
my $long = 'ab' x 500000;
$long =~ s/ba/<$&>/g;
print "long ", length $long, " ", sha256_hex($long), "\n";
